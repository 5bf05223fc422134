//! Schemas that ask for more work than any machine can do, by reading, by running and on the command line.

use errand_tests::host::{Host, HostReply};
use errand_tests::process::{ChildProcess, DataDir, Launch, peak_memory_mib, wait_idle};
use errand_tests::server::{ErrandServer, ServerOptions, errand_binary};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

use crate::tally::{Tally, tries};

/// One answer, in a debug build on a busy machine: a read's own bound is 60 s, and a hostile one must not come near it.
const ANSWER_MAX: Duration = Duration::from_secs(20);
const RUN_DEADLINE: Duration = Duration::from_secs(90);
const IDLE_DEADLINE: Duration = Duration::from_secs(20);
const MEMORY_MIB_MAX: u64 = 300;

/// `levels` schemas, each made of the next one by `make`.
fn chain(levels: usize, make: impl Fn(Value) -> Value) -> Value {
    let level = |level: usize| (format!("d{level}"), make(json!({"$ref": format!("#/$defs/d{}", level + 1)})));
    let mut defs: Map<String, Value> = (0..levels).map(level).collect();
    defs.insert(format!("d{levels}"), json!({"type": "integer"}));
    json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "required": ["x"], "$defs": defs})
}

fn object(properties: impl IntoIterator<Item = (String, Value)>) -> Value {
    json!({"type": "object", "properties": properties.into_iter().collect::<Map<String, Value>>()})
}

fn many(count: usize, make: impl Fn(usize) -> Value) -> Value {
    object((0..count).map(|number| (format!("f{number}"), make(number))))
}

fn fans() -> Vec<(&'static str, Value)> {
    vec![
        ("oneOf 4^12", chain(12, |next| json!({"oneOf": vec![next; 4]}))),
        ("anyOf 8^30", chain(30, |next| json!({"anyOf": vec![next; 8]}))),
        ("allOf 2^40", chain(40, |next| json!({"allOf": vec![next; 2]}))),
        ("oneOf just under the bound", chain(6, |next| json!({"oneOf": vec![next; 4]}))),
        ("if, then, else 3^20", chain(20, |next| json!({"if": next, "then": next, "else": next}))),
        ("not of oneOf 2^30", chain(30, |next| json!({"not": {"oneOf": vec![next; 2]}}))),
        ("dependentSchemas 3^20", chain(20, |next| json!({"dependentSchemas": {"x": next, "y": next, "z": next}}))),
        (
            "through properties 2^30",
            chain(30, |next| {
                let below = json!({"type": "object", "properties": {"x": next}});
                json!({"anyOf": [below, below]})
            }),
        ),
        ("through items 3^20", chain(20, |next| json!({"allOf": [{"items": next}, {"items": next}, {"items": next}]}))),
        ("a chain of 400 references", chain(400, |next| next)),
        (
            "unevaluatedProperties in 30 levels",
            chain(
                30,
                |next| json!({"type": "object", "anyOf": [next, {"type": "object"}], "unevaluatedProperties": false}),
            ),
        ),
        ("unevaluatedItems in 30 levels", chain(30, |next| json!({"anyOf": [next, {}], "unevaluatedItems": false}))),
    ]
}

fn others() -> Vec<(&'static str, Value)> {
    let twice = json!({"type": "object", "properties": {"x": {"$ref": "#"}}});
    let options: Vec<String> = (0..900).map(|number| format!("option {number}")).collect();
    let letters = |number: usize| json!({"type": "string", "pattern": format!("^\\p{{L}}{{{}}}", 40 + number)});
    let choices: Vec<Value> = (0..150).map(|least| json!({"type": "object", "minProperties": 50 + least})).collect();
    let list = |keywords: Value| json!({"type": "object", "properties": {"tags": keywords}, "required": ["tags"]});
    let by_pattern: Map<String, Value> =
        (0..150).map(|number| (format!("^(?!.*{number}$).*x"), json!({"type": "integer"}))).collect();
    vec![
        (
            "itself twice on deep data",
            json!({"type": "object", "properties": {"x": {"$ref": "#"}}, "allOf": [twice, twice]}),
        ),
        ("itself without end", json!({"type": "object", "properties": {"x": {}}, "allOf": [{"$ref": "#"}]})),
        ("itself from 300 fields", many(300, |_| json!({"$ref": "#"}))),
        ("large patterns", many(100, letters)),
        (
            "a pattern that backtracks",
            list(json!({"type": "array",
            "items": {"type": "string", "pattern": "^(?=(a+)+$)(a|aa)+\\1b$"}})),
        ),
        ("large enums by reference", {
            let mut schema = many(200, |_| json!({"$ref": "#/$defs/e"}));
            schema["$defs"] = json!({"e": {"enum": options}});
            schema
        }),
        ("uniqueItems of many", list(json!({"type": "array", "uniqueItems": true, "items": {"type": "string"}}))),
        ("a choice of 150 for each of many", list(json!({"type": "array", "items": {"oneOf": choices}}))),
        ("150 patternProperties", json!({"type": "object", "properties": {"x": {}}, "patternProperties": by_pattern})),
        ("contains of itself", list(json!({"type": "array", "contains": {"allOf": [{"$ref": "#"}, {"$ref": "#"}]}}))),
    ]
}

/// A page that fills whatever is asked: a long list, deep data, long texts.
fn page() -> String {
    let deep = (0..60).fold(json!(1), |inner, _| json!({"x": inner}));
    let tags: Vec<String> = (0..4_000).map(|number| format!("{}{number}", "a".repeat(40))).collect();
    let product = json!({"@type": "Product", "name": "Lamp", "x": deep, "tags": tags});
    let items: String = (0..4_000).map(|number| format!("<li>tag {number}</li>")).collect();
    format!(
        "<script type='application/ld+json'>{product}</script><h1>Lamp</h1><p>x: aaaa!</p><h2>Tags</h2><ul>{items}</ul>"
    )
}

fn hostile() -> Vec<(&'static str, Value)> {
    fans().into_iter().chain(others()).collect()
}

/// What is wrong with an answer to a hostile schema, if anything is.
fn fault(answer: anyhow::Result<(u16, Value)>, took: Duration, param: &str) -> Option<String> {
    match answer {
        Ok(_) if took > ANSWER_MAX => Some(format!("took {took:?}")),
        Ok((200 | 201, _)) => None,
        Ok((400, body)) if body["error"]["param"] == param => None,
        Ok((status, body)) => Some(format!("{status}: {body}")),
        Err(error) => Some(format!("{error:#}")),
    }
}

#[tokio::test]
async fn hostile_schemas_of_reads_are_refused_or_answered_within_their_budget() -> anyhow::Result<()> {
    let site = Host::start("127.0.0.1", |_| HostReply::Page(page())).await;
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("schemas of reads");
    let schemas = hostile();
    let count = tries(schemas.len(), schemas.len());
    for (variant, schema) in schemas.into_iter().take(count) {
        let body = json!({"url": site.url("/"), "engine": "http", "schema": schema});
        let began = Instant::now();
        let answer = server.api.post("/v1/read", &body).await;
        tally.add(variant, fault(answer, began.elapsed(), "schema"));
    }
    let alive = server.api.get("/healthz").await?.0;
    tally.add("the server is alive", (alive != 200).then(|| format!("{alive}")));
    tally
        .add("its processor is idle", wait_idle(server.process_id(), IDLE_DEADLINE).await.err().map(|e| e.to_string()));
    let memory = peak_memory_mib(server.process_id())?;
    tally.add("its memory", (memory > MEMORY_MIB_MAX).then(|| format!("{memory} MiB")));
    println!("peak memory of the server: {memory} MiB");
    tally.end();
    Ok(())
}

#[tokio::test]
async fn hostile_schemas_of_runs_are_refused_or_end_the_run_and_nothing_else() -> anyhow::Result<()> {
    let site = Host::start("127.0.0.1", |_| HostReply::Page(page())).await;
    let server = ErrandServer::start(ServerOptions::default()).await?;
    let mut tally = Tally::new("schemas of runs");
    let schemas = hostile();
    let (count, mut open) = (tries(schemas.len(), schemas.len()), tries(2, schemas.len()));
    for (variant, schema) in schemas.into_iter().take(count) {
        let body = json!({"goal": "Read x and the tags.", "start_url": site.url("/"), "output_schema": schema, "max_steps": 3});
        let began = Instant::now();
        let answer = server.api.post_run(&body).await;
        let created = answer.as_ref().ok().filter(|(status, _)| *status == 201).map(|(_, run)| run["id"].clone());
        tally.add(variant, fault(answer, began.elapsed(), "output_schema"));
        let Some(id) = created.as_ref().and_then(Value::as_str) else { continue };
        if open == 0 {
            server.api.stop(id).await?;
            continue;
        }
        open -= 1;
        let ended = server.api.wait_finished(id, RUN_DEADLINE).await;
        tally.add(&format!("{variant}, the run"), ended.err().map(|error| format!("{error:#}")));
    }
    tally
        .add("its processor is idle", wait_idle(server.process_id(), IDLE_DEADLINE).await.err().map(|e| e.to_string()));
    let memory = peak_memory_mib(server.process_id())?;
    tally.add("its memory", (memory > MEMORY_MIB_MAX).then(|| format!("{memory} MiB")));
    println!("peak memory of the server: {memory} MiB");
    tally.end();
    Ok(())
}

#[tokio::test]
async fn hostile_schemas_on_the_command_line_end_in_time() -> anyhow::Result<()> {
    let folder = DataDir::new()?;
    let file = folder.path("page.html");
    std::fs::write(&file, page())?;
    let mut tally = Tally::new("schemas on the command line");
    let schemas = hostile();
    let every = schemas.len() / tries(4, schemas.len());
    for (number, (variant, schema)) in schemas.into_iter().enumerate().step_by(every) {
        let launch = Launch::new(errand_binary()?).arg("read").arg(&file).arg("--schema").arg(schema.to_string());
        let mut process = ChildProcess::start(&launch, &folder.logs(), &format!("read-{number}"))?;
        let ended = process.wait(ANSWER_MAX).await;
        let fault = match ended.map(|status| status.code()) {
            Ok(Some(0)) => None,
            Ok(Some(2)) if process.stderr().contains("--json-schema is not a valid JSON Schema: ") => None,
            Ok(code) => Some(format!("{code:?} {}", process.stderr())),
            Err(error) => Some(error.to_string()),
        };
        tally.add(variant, fault);
    }
    tally.end();
    Ok(())
}
