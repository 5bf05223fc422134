//! Scores the extractor on folders of saved pages with gold values: `score products|recipes|edges|numbers|prices DATA_DIR [--verbose]`.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use errand_extract::{Options, extract};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, data, rest @ ..] = arguments.as_slice() else {
        return Err("usage: score products|recipes|edges|numbers|prices DATA_DIR [--verbose]".into());
    };
    let verbose = rest.iter().any(|flag| flag == "--verbose");
    let data = Path::new(data);
    match what.as_str() {
        "products" => products(data, verbose),
        "recipes" => recipes(data, verbose),
        "edges" => edges(data),
        "numbers" => numbers(data),
        "prices" => prices(data),
        "shown" => shown_prices(data),
        other => Err(format!("nothing is called {other}").into()),
    }
}

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn read_json(path: &Path) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(serde_json::from_str(&std::fs::read_to_string(path)?)?)
}

fn read_page(path: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    lacking: usize,
}

impl Tally {
    fn print(&self, name: &str) {
        let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let precision = share(self.right, self.right + self.wrong);
        let recall = share(self.right, self.right + self.lacking);
        let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
        println!("{name:14} P {precision:.3}  R {recall:.3}  F1 {f1:.3}  (gold {})", self.right + self.lacking);
    }
}

/// The same rule as for the published figures: equal to one of the gold values.
fn judge(tally: &mut Tally, got: Option<String>, want: &[String]) -> bool {
    let hit = got.as_ref().is_some_and(|got| want.contains(got));
    if hit {
        tally.right += 1;
    } else {
        tally.wrong += usize::from(got.is_some());
        tally.lacking += usize::from(!want.is_empty());
    }
    hit || got.is_none() && want.is_empty()
}

fn number_key(value: &Value) -> Option<String> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    Some(format!("{number}"))
}

fn products(data: &Path, verbose: bool) -> Outcome {
    let gold = read_json(&data.join("products/gold.json"))?;
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"}, "brand": {"type": "string"}, "sku": {"type": "string"}, "availability": {"type": "string"}}});
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let (mut sold_out, mut sold_out_seen) = (0, 0);
    for (id, truth) in gold.as_object().ok_or("gold is not an object")? {
        let html = read_page(&data.join(format!("products/{id}.html.gz")))?;
        let url = truth["url"].as_str().unwrap_or("");
        let got = extract(&html, url, &schema, &Options::default())?;
        for field in ["price", "currency", "brand", "sku", "availability"] {
            let key = |value: &Value| {
                if field == "price" { number_key(value) } else { value.as_str().map(|text| text.trim().to_lowercase()) }
            };
            let want: Vec<String> =
                truth.get(field).and_then(Value::as_array).into_iter().flatten().filter_map(key).collect();
            let mut value = got.data.get(field).and_then(key);
            if field == "currency" {
                value = value.map(|code| sign_of(&code, &want));
            }
            let ok = judge(tallies.entry(field).or_default(), value.clone(), &want);
            if verbose && !ok {
                println!(
                    "{field:12} got {:?} want {want:?} from {:?}  {}  {id}",
                    value.unwrap_or_default(),
                    got.sources.get(field).map_or("", String::as_str),
                    url.get(..url.len().min(60)).unwrap_or("")
                );
            }
        }
        if truth.get("OutOfStock").is_some() {
            sold_out += 1;
            sold_out_seen += usize::from(
                got.data["availability"].as_str().is_some_and(|text| text.eq_ignore_ascii_case("OutOfStock")),
            );
        }
    }
    for (name, tally) in &tallies {
        tally.print(name);
    }
    println!("OutOfStock recall {sold_out_seen}/{sold_out}");
    Ok(())
}

/// How often the price read from the shown text alone is right.
fn shown_prices(data: &Path) -> Outcome {
    let gold = read_json(&data.join("products/gold.json"))?;
    let schema = json!({"type": "object", "properties": {"price": {"type": "number"}}});
    let (mut right, mut all) = (0, 0);
    for (id, truth) in gold.as_object().ok_or("gold is not an object")? {
        let want: Vec<String> =
            truth.get("price").and_then(Value::as_array).into_iter().flatten().filter_map(number_key).collect();
        if want.is_empty() {
            continue;
        }
        all += 1;
        let html = read_page(&data.join(format!("products/{id}.html.gz")))?;
        let url = truth["url"].as_str().unwrap_or("");
        let explained = errand_extract::explain(&html, url, &schema, &Options::default())?;
        let texts: Vec<&errand_extract::Candidate> =
            explained[0].candidates.iter().filter(|candidate| candidate.source == "text").collect();
        let got = texts.first().and_then(|candidate| number_key(&candidate.value));
        if got.as_ref().is_some_and(|got| want.contains(got)) {
            right += 1;
        } else {
            let lines: Vec<String> = texts
                .iter()
                .take(3)
                .map(|candidate| {
                    format!("{:.1} {}", candidate.score, candidate.why.chars().take(45).collect::<String>())
                })
                .collect();
            println!("{} want {want:?}: {}", id.get(..5).unwrap_or(""), lines.join(" | "));
        }
    }
    println!("shown price {right}/{all}");
    Ok(())
}

/// Gold currencies are as shown; a code is right when its sign is.
fn sign_of(code: &str, want: &[String]) -> String {
    let upper = code.to_uppercase();
    let same = |sign: &&String| {
        errand_extract::currency::find(sign).is_some_and(|found| found.code == upper)
            || errand_extract::currency::serves(sign, &upper)
    };
    want.iter().find(same).cloned().unwrap_or_else(|| code.to_owned())
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().replace(['’', '‘'], "'")
}

fn same_value(field: &str, got: &Value, want: &Value) -> bool {
    match (got, want) {
        (Value::Array(got), Value::Array(want)) => {
            got.len() == want.len() && got.iter().zip(want).all(|(got, want)| same_value(field, got, want))
        }
        (Value::String(got), Value::String(want)) if field.contains("url") || field == "image" => {
            plain(got).trim_end_matches('/') == plain(want).trim_end_matches('/')
        }
        (Value::String(got), Value::String(want)) => plain(got) == plain(want),
        (Value::Number(got), Value::Number(want)) => got.as_f64() == want.as_f64(),
        _ => false,
    }
}

fn recipes(data: &Path, verbose: bool) -> Outcome {
    let gold = read_json(&data.join("recipes/gold.json"))?;
    let text = json!({"type": "string"});
    let number = json!({"type": "number"});
    let list = json!({"type": "array", "items": {"type": "string"}});
    let names = [
        "title",
        "author",
        "canonical_url",
        "image",
        "ingredients",
        "instructions_list",
        "language",
        "site_name",
        "yields",
        "total_time",
        "prep_time",
        "cook_time",
        "description",
        "category",
        "keywords",
        "ratings",
        "ratings_count",
        "cuisine",
    ];
    let kind = |name: &str| match name {
        "ingredients" | "instructions_list" | "keywords" => list.clone(),
        "total_time" | "prep_time" | "cook_time" | "ratings" | "ratings_count" => number.clone(),
        _ => text.clone(),
    };
    let properties: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), kind(name))).collect();
    let schema = json!({"type": "object", "properties": properties});
    let mut counts: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    for (id, truth) in gold.as_object().ok_or("gold is not an object")? {
        let html = read_page(&data.join(format!("recipes/{id}.html.gz")))?;
        let url = truth["canonical_url"].as_str().unwrap_or("");
        let got = extract(&html, url, &schema, &Options::default())?;
        for name in names {
            let count = counts.entry(name).or_default();
            let value = got.data.get(name).unwrap_or(&Value::Null);
            let Some(want) = truth.get(name) else {
                count.2 += usize::from(!value.is_null());
                continue;
            };
            count.1 += 1;
            if same_value(name, value, want) {
                count.0 += 1;
            } else if verbose {
                println!(
                    "{name:18} {id}\n    got  {} ({})\n    want {}",
                    short(value),
                    got.sources.get(name).map_or("", String::as_str),
                    short(want)
                );
            }
        }
    }
    for (name, (right, all, extra)) in counts {
        println!("{name:18} {right}/{all} = {:.3}   beside the gold: {extra}", right as f64 / all.max(1) as f64);
    }
    Ok(())
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(700).collect()
}

fn edges(data: &Path) -> Outcome {
    let cases = read_json(&data.join("edge_pages.json"))?;
    let cases = cases.as_array().ok_or("not a list")?;
    let mut right = 0;
    for case in cases {
        let html = case["html"].as_str().unwrap_or("");
        let got = extract(html, "https://example.com/", &case["schema"], &Options::default())?;
        if same_json(&got.data, &case["data"]) {
            right += 1;
        } else {
            println!("{}: got {} want {}", case["name"], got.data, case["data"]);
        }
    }
    println!("edge pages {right}/{}", cases.len());
    Ok(())
}

fn same_json(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same_json(value, other)))
        }
        _ => left == right,
    }
}

fn numbers(data: &Path) -> Outcome {
    let cases = read_json(&data.join("edge_numbers.json"))?;
    let cases = cases.as_array().ok_or("not a list")?;
    let mut right = 0;
    for case in cases {
        let text = case["text"].as_str().unwrap_or("");
        let got = errand_extract::parse_number(text, errand_extract::numbers::NumberHint::default());
        if got == case["number"].as_f64() {
            right += 1;
        } else {
            println!("{text}: got {got:?} want {}", case["number"]);
        }
    }
    println!("edge numbers {right}/{}", cases.len());
    Ok(())
}

fn prices(data: &Path) -> Outcome {
    let cases = read_json(&data.join("price_strings.json"))?;
    let cases = cases.as_array().ok_or("not a list")?;
    let (mut amounts, mut both) = (0, 0);
    for case in cases {
        let text = case["text"].as_str().unwrap_or("");
        let decimal = case["decimal_separator"].as_str().and_then(|mark| mark.chars().next());
        let got = errand_extract::parse_price(text, case["currency_hint"].as_str(), decimal);
        let want = case["amount"].as_str().and_then(|amount| amount.parse::<f64>().ok());
        let amount_right = got.amount == want;
        let sign_right = got.sign.as_deref() == case["currency"].as_str();
        amounts += usize::from(amount_right);
        both += usize::from(amount_right && sign_right);
        if !amount_right || !sign_right {
            println!(
                "{text:?} hint {} got {:?} {:?} want {want:?} {}",
                case["currency_hint"], got.amount, got.sign, case["currency"]
            );
        }
    }
    println!("price strings: amount {amounts}/{}, amount and sign {both}/{}", cases.len(), cases.len());
    Ok(())
}
