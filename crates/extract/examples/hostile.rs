//! Feeds the extractor large hostile pages and prints how long each took: `hostile [MEGABYTES]`.

use std::time::Instant;

use errand_extract::{Options, extract, readable};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let megabytes: usize = std::env::args().nth(1).map_or(Ok(20), |text| text.parse())?;
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"}, "sku": {"type": "string"}, "availability": {"type": "string"},
        "order_number": {"type": "string"}, "ingredients": {"type": "array", "items": {"type": "string"}},
        "instructions": {"type": "array", "items": {"type": "string"}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"title": {"type": "string"}, "url": {"type": "string"}, "points": {"type": "integer"}, "price": {"type": "number"}}}}}});
    let only = std::env::args().nth(2).unwrap_or_default();
    for (name, html) in pages(megabytes << 20).into_iter().filter(|(name, _)| name.contains(&only)) {
        let start = Instant::now();
        let got = extract(&html, "https://example.com/", &schema, &Options::default())?;
        let middle = Instant::now();
        let page = readable(&html, "https://example.com/");
        println!(
            "{name:28} {:8} bytes  extract {:7.2} s  readable {:6.2} s  found {}  text {}",
            html.len(),
            (middle - start).as_secs_f64(),
            middle.elapsed().as_secs_f64(),
            got.found,
            page.text.len()
        );
    }
    Ok(())
}

fn fill(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len() + 1)
}

fn noise(bytes: usize, alphabet: &[u8]) -> String {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut out = String::with_capacity(bytes);
    while out.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.push(char::from(alphabet[(state % alphabet.len() as u64) as usize]));
    }
    out
}

fn pages(bytes: usize) -> Vec<(&'static str, String)> {
    let nested = format!("{}x{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
    vec![
        ("nested divs", nested),
        ("nested inline", "<b><i><a href=x>".repeat(100_000)),
        ("markup noise", noise(bytes, b"<>/=\"' abdivptr!-&;[]{}0129.$")),
        ("text noise", noise(bytes, b"abc 12.,$:\n")),
        ("attributes", format!("<div {}>x", fill("a b c=1 ", bytes))),
        (
            "distinct attributes",
            format!("<div {}>x", (0..bytes / 9).map(|at| format!("a{at:06x} ")).collect::<String>()),
        ),
        ("unclosed fonts", (0..bytes / 30).map(|at| format!("<p><font color={at}>x</p>")).collect()),
        ("unclosed tables", fill("<table><tr><td>1", bytes)),
        ("flat items", format!("<ul>{}</ul>", fill("<li><a href=/x>Some title here</a> $5.00 12 points</li>", bytes))),
        ("flat cells", format!("<table><tr>{}</table>", fill("<td>1", bytes))),
        ("spans", format!("<table>{}</table>", fill("<tr><td rowspan=65000 colspan=1000>1", bytes))),
        ("prices", fill("<p class=price>$12.99</p>", bytes)),
        ("labels", fill("<dt>Price:</dt><dd>12</dd>", bytes)),
        ("json brackets", format!("<script type=application/ld+json>{}</script>", fill("[", bytes))),
        ("json objects", format!("<script type=application/ld+json>{}</script>", fill("{\"a\":", bytes))),
        ("json quotes", format!("<script type=application/ld+json>{{\"a\":\"{}</script>", fill("\" ", bytes))),
        ("json strings", format!("<script type=application/ld+json>[{}]</script>", fill("\"a\" \"b\" ", bytes))),
        (
            "json ids",
            format!(
                "<script type=application/ld+json>[{}]</script>",
                fill("{\"@id\":\"#a\",\"offers\":{\"@id\":\"#a\"}},", bytes)
            ),
        ),
        ("script assignments", format!("<script>{}</script>", fill("abcd={\"price\":1};", bytes))),
        ("script open braces", format!("<script>{}</script>", fill("abcd={", bytes))),
        ("script strings", format!("<script>{}</script>", fill("abcd=\"{\\\"a\\\":", bytes))),
        ("flight pushes", format!("<script>{}</script>", fill("self.__next_f.push([1,\"0:{}\\n\"]);", bytes))),
        (
            "nuxt payload",
            format!(
                "<script type=application/json id=__NUXT_DATA__>[[\"Reactive\",1],{{\"a\":1,\"b\":1}},{}1]</script>",
                fill("[1,1],", bytes.min(2 << 20))
            ),
        ),
        ("microdata", fill("<div itemscope itemprop=a itemtype=x>", bytes.min(4 << 20))),
        ("itemrefs", fill("<div id=a itemscope itemref='a b c' itemprop=x></div>", bytes.min(4 << 20))),
        ("metas", fill("<meta property=og:image content=x>", bytes)),
        ("comment", format!("<!--{}", fill("- ", bytes))),
        ("entities", fill("&amp;amp;lt;", bytes)),
        ("headings", fill("<h2>Ingredients</h2><p>", bytes)),
        ("list labels", fill("<p>Ingredients</p>", bytes)),
        ("paragraphs of amounts", fill("<p class=x>1 a<br>2 b<br>3 c</p>", bytes)),
        ("headers in main", format!("<main>{}{}", "<header>".repeat(500), fill("<p>1 a<br>2 b<br>3 c</p>", bytes))),
        ("nested lists", format!("{}{}", "<ul>".repeat(500), fill("<li>1 cup of sugar", bytes))),
        ("nested pairs", fill("<dl>", bytes)),
        (
            "numbered steps",
            format!(
                "<script type=application/ld+json>{{\"@type\":\"Recipe\",\"recipeInstructions\":\"{}{}\"}}</script>",
                (1..5000).map(|number| format!("{number}. x ")).collect::<String>(),
                fill("1) ", bytes)
            ),
        ),
    ]
}
