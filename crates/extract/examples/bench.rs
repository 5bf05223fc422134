//! Times the extractor on a folder of saved pages, single thread: `bench FOLDER [RUNS]`. Prints the median page in milliseconds.

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
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "description": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"},
        "brand": {"type": "string"}, "sku": {"type": "string"}, "availability": {"type": "string"}, "image": {"type": "string"}}});
    let published = Options { visible: false, ..Options::default() };
    let shown = Options::default();
    let parse_ms = median_ms(&pages, runs, |html| drop(std::hint::black_box(parse(html))));
    let published_ms = median_ms(&pages, runs, |html| {
        drop(std::hint::black_box(extract(html, "https://example.com/", &schema, &published)))
    });
    let shown_ms = median_ms(&pages, runs, |html| {
        drop(std::hint::black_box(extract(html, "https://example.com/", &schema, &shown)))
    });
    println!("{} pages, best of {runs} runs each, median page", pages.len());
    println!("errand parse              {parse_ms:8.2} ms");
    println!("errand published data     {published_ms:8.2} ms");
    println!("errand with visible page  {shown_ms:8.2} ms");
    Ok(())
}

fn read_pages(folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let mut pages = Vec::new();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "gz")) {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
        pages.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    Ok(pages)
}

fn median_ms(pages: &[String], runs: usize, mut work: impl FnMut(&str)) -> f64 {
    let mut times: Vec<f64> =
        pages.iter().map(|html| (0..runs).map(|_| timed(html, &mut work)).fold(f64::INFINITY, f64::min)).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(0.0)
}

fn timed(html: &str, work: &mut impl FnMut(&str)) -> f64 {
    let start = Instant::now();
    work(html);
    start.elapsed().as_secs_f64() * 1000.0
}
