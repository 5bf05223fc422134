//! Pages that refer to the same data again and again: each is read within bounds of time and memory, and what else is on
//! the page is still found. All are in one test, as the memory is the process's.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use errand_extract::{Options, extract};
use serde_json::json;

/// Each takes a second at most without optimisation; without its bound it would not end.
const DEADLINE: Duration = Duration::from_secs(60);
/// The largest of them is 4 MB; without its bound each would take gigabytes.
const MEMORY_KB_MAX: u64 = 700 << 10;

fn pages() -> Vec<(&'static str, String)> {
    let long = "long ".repeat(1 << 18);
    let nested = "<div itemprop=\"a b\" itemscope>".repeat(10);
    let each_other = r#"<p itemscope itemref="a b"><b id=a itemprop="x y" itemscope itemref=b></b>
        <i id=b itemprop="x y" itemscope itemref=a></i></p>"#;
    let many = "<p itemscope itemref=long></p>".repeat(3000);
    let indices = |index: usize, times: usize| vec![index.to_string(); times].join(",");
    let references = vec![r#"{"__ref":"Long:1"}"#; 3000].join(",");
    let itself = vec![r#"{"__ref":"Long:1"}"#; 1000].join(",");
    let names = (0..3000).map(|name| format!("{name:0400} ")).collect::<String>();
    let functions = format!(
        "<script>window.__NUXT__=(function(a){{return {{data:[{}]}}}}(\"{long}\"));</script>",
        vec!["a"; 3000].join(",")
    );
    vec![
        ("items in each other", each_other.repeat(20)),
        ("two names at every depth", format!("<div itemscope>{nested}<b itemprop=\"a b\">{long}</b>")),
        ("many items that refer to a long text", format!("<b id=long itemprop=x>{long}</b>{many}")),
        (
            "many items that refer to many names",
            format!("<b id=k itemprop='{names}'></b>{}", "<p itemscope itemref=k></p>".repeat(3000)),
        ),
        (
            "many items of a long type",
            format!(
                "<b id=k itemprop=x itemscope itemtype={}></b>{}",
                "t".repeat(1 << 20),
                "<p itemscope itemref=k></p>".repeat(3000)
            ),
        ),
        (
            "long texts of no name",
            format!(
                "<div id=k>{}{long}</div>{}",
                "<b itemprop=''>".repeat(400),
                "<p itemscope itemref=k></p>".repeat(3000)
            ),
        ),
        (
            "texts of many nodes",
            format!(
                "<div id=k>{}{}</div>{}",
                "<b itemprop=x>".repeat(400),
                "<i></i>".repeat(100_000),
                "<p itemscope itemref=k></p>".repeat(3000)
            ),
        ),
        (
            "payload of indices",
            format!(
                "<script type=application/json>[[\"Reactive\",1],[{}],[{}],[{}],\"{long}\"]</script>",
                indices(2, 500),
                indices(3, 500),
                indices(4, 500)
            ),
        ),
        (
            "payload of a list in itself",
            format!("<script type=application/json>[[\"Reactive\",1],[{}]]</script>", indices(1, 1000)),
        ),
        (
            "payload of no indices",
            format!(
                "<script type=application/json>[[\"Reactive\",1],[{}],[{}]]</script>",
                indices(2, 500),
                vec!["-1"; 500_000].join(",")
            ),
        ),
        (
            "cache of a list in itself",
            format!(
                "<script>window.__APOLLO_STATE__={{\"ROOT_QUERY\":{{\"a\":[{itself}]}},\"Long:1\":[{itself}]}}</script>"
            ),
        ),
        (
            "cache of references",
            format!(
                "<script>window.__APOLLO_STATE__={{\"ROOT_QUERY\":{{\"all\":[{references}]}},\"Long:1\":{{\"t\":\"{long}\"}}}}</script>"
            ),
        ),
        ("function with a long argument", functions.clone()),
        ("many such functions", functions.repeat(3)),
    ]
}

fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the peak is told");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn copies_of_the_same_data_are_bounded() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}});
    let published = r#"<script type="application/ld+json">{"@type": "Product", "name": "Mug"}</script>"#;
    for (name, page) in pages() {
        let began = Instant::now();
        let (done, result) = mpsc::channel();
        let (schema, html) = (schema.clone(), format!("{published}{page}"));
        std::thread::spawn(move || {
            let read = extract(&html, "https://example.com/", &schema, &Options::default());
            // Nobody waits for it any more once the test has failed.
            let _ = done.send(read);
        });
        let read = result.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("{name}: not read in time"));
        assert_eq!(read.expect("the schema is usable").data["name"], "Mug", "{name}");
        let memory = memory_kb();
        assert!(memory < MEMORY_KB_MAX, "{name}: {memory} kB");
        println!("{name}: {:.1} s, {memory} kB at most", began.elapsed().as_secs_f64());
    }
}
