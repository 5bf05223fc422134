//! Front pages as ordered lists: a count in an element of its own before its word, and an advertisement between stories.
//! (Asked for by the system test `news::the_news_goal_gives_the_stories_of_three_layouts`, seeds 2 and 5 of the fixture.)

use errand_extract::{Options, extract};
use serde_json::{Value, json};

const PAGE: &str = r#"<!doctype html><html lang="en"><body>
<nav><a href="/news">Front</a><a href="/news/older">Past</a><a href="/about">About</a></nav><h1>Front page</h1>
<ol>
<li value="1"><a href="/item/1">A clock that was right once</a><div class="small"><b>1299</b> points, 182 comments, posted 7 hours ago by quill</div></li>
<li value="2"><a href="https://letters.example/2026/queues">What trams taught us about queues</a> <small>letters.example</small><div class="small"><b>106</b> points, 340 comments, posted 4 hours ago by fenwick</div></li>
<li value="0"><small>Ad</small> <a href="https://ads.example/maps">Paper maps, printed overnight</a></li>
<li value="3"><a href="item/3">The 3-2-1 rule is older than you think</a><div class="small"><b>1301</b> points, 181 comments, posted 9 hours ago by bram</div></li>
<li value="4"><a href="https://jobs.example/4">A railway is hiring an engineer (Lisbon)</a> <small>jobs.example</small><div class="small">posted 22 hours ago</div></li>
<li value="5"><a href="/item/5">Why our bakery schedules ovens with a solver</a><div class="small"><b>297</b> points, 201 comments, posted 10 hours ago by saltmarsh</div></li>
</ol><p><a href="/news/older">Next page</a></p></body></html>"#;

fn stories() -> Vec<Value> {
    let item = json!({"type": "object", "properties": {
        "title": {"type": ["string", "null"]}, "url": {"type": ["string", "null"]}, "points": {"type": ["integer", "null"]},
    }});
    let schema = json!({"type": "object", "properties": {"stories": {"type": "array", "items": item}}});
    let extracted =
        extract(PAGE, "https://news.example/news", &schema, &Options::default()).expect("the schema is valid");
    extracted.data["stories"].as_array().cloned().unwrap_or_default()
}

#[test]
fn a_count_in_an_element_of_its_own_belongs_to_the_word_after_it() {
    let points: Vec<Value> = stories().iter().map(|story| story["points"].clone()).collect();
    assert!(points.starts_with(&[json!(1299), json!(106)]), "{points:?}");
    assert!(points.contains(&json!(297)), "{points:?}");
}

#[test]
fn an_advertisement_between_records_is_no_record() {
    let stories = stories();
    let titles: Vec<&str> = stories.iter().filter_map(|story| story["title"].as_str()).collect();
    assert_eq!(
        &titles[..3],
        ["A clock that was right once", "What trams taught us about queues", "The 3-2-1 rule is older than you think"]
    );
    assert!(!titles.contains(&"Paper maps, printed overnight"), "{titles:?}");
    assert!(
        titles.iter().any(|title| title.contains("hiring")),
        "a job posting without points is a record: {titles:?}"
    );
}
