//! Prints every candidate of every field of a saved page: `explain PAGE.html[.gz] URL FIELD…` (`name:number` for a number, `name:list`).

use std::io::Read;

use errand_extract::{Options, explain};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [path, url, fields @ ..] = arguments.as_slice() else {
        return Err("usage: explain PAGE URL FIELD...".into());
    };
    let mut bytes = std::fs::read(path)?;
    if path.ends_with(".gz") {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut plain)?;
        bytes = plain;
    }
    let html = String::from_utf8_lossy(&bytes);
    let properties: serde_json::Map<String, Value> = fields.iter().map(|field| property(field)).collect();
    let schema = json!({"type": "object", "properties": properties});
    for field in explain(&html, url, &schema, &Options::default())? {
        println!("{}", field.field);
        for candidate in field.candidates {
            let value: String = candidate.value.to_string().chars().take(300).collect();
            println!("  {:>6.1}  {value}  [{}]  {}", candidate.score, candidate.source, candidate.why);
        }
    }
    Ok(())
}

fn property(field: &str) -> (String, Value) {
    let (name, kind) = field.split_once(':').unwrap_or((field, "string"));
    let schema = match kind {
        "list" => json!({"type": "array", "items": {"type": "string"}}),
        kind => json!({"type": kind}),
    };
    (name.to_owned(), schema)
}
