//! Times the extractor on a folder of saved pages (`.html`, `.html.gz`), single thread: `bench FOLDER [RUNS]`. Prints a row
//! for each way of reading: name, tab, the median page in milliseconds.

use std::io::Read;
use std::path::Path;
use std::time::Instant;

use errand_extract::{Options, extract, parse};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rest @ ..] = arguments.as_slice() else { return Err("usage: bench FOLDER [RUNS]".into()) };
    let runs: usize = rest.first().map_or(Ok(5), |text| text.parse())?;
    let pages = read_pages(Path::new(folder))?;
    if pages.is_empty() {
        return Err(format!("{folder} holds no .html or .html.gz").into());
    }
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "description": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"},
        "brand": {"type": "string"}, "sku": {"type": "string"}, "availability": {"type": "string"}, "image": {"type": "string"}}});
    let read = |options: &Options, html: &str| {
        drop(std::hint::black_box(extract(html, "https://example.com/", &schema, options)));
    };
    let published = Options { visible: false, ..Options::default() };
    row("errand, parsing alone", median_ms(&pages, runs, |html| drop(std::hint::black_box(parse(html)))));
    row("errand, published data", median_ms(&pages, runs, |html| read(&published, html)));
    row("errand, with the visible page", median_ms(&pages, runs, |html| read(&Options::default(), html)));
    Ok(())
}

fn row(name: &str, ms: f64) {
    println!("{name}\t{ms:.3}");
}

fn read_pages(folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let mut pages = Vec::new();
    for path in paths {
        let name = path.to_string_lossy();
        let mut bytes = Vec::new();
        if name.ends_with(".html.gz") {
            flate2::read::GzDecoder::new(std::fs::File::open(&path)?).read_to_end(&mut bytes)?;
        } else if name.ends_with(".html") {
            bytes = std::fs::read(&path)?;
        } else {
            continue;
        }
        pages.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(pages)
}

fn median_ms(pages: &[String], runs: usize, mut work: impl FnMut(&str)) -> f64 {
    let mut times: Vec<f64> =
        pages.iter().map(|html| (0..runs).map(|_| timed(html, &mut work)).fold(f64::INFINITY, f64::min)).collect();
    times.sort_by(f64::total_cmp);
    let middle = times.len() / 2;
    // As the peers' statistics do it: between the two in the middle when there is no one page there.
    if times.len().is_multiple_of(2) { (times[middle - 1] + times[middle]) / 2.0 } else { times[middle] }
}

fn timed(html: &str, work: &mut impl FnMut(&str)) -> f64 {
    let start = Instant::now();
    work(html);
    start.elapsed().as_secs_f64() * 1000.0
}
