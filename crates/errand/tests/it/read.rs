//! `errand read`.

use serde_json::json;
use std::net::TcpListener;

use crate::command::{Server, errand, json, on_terminal, output, output_with, refusal, serve};
use crate::site::Site;

const SCHEMA: &str = r#"{"type": "object", "required": ["name", "price"], "properties": {
    "name": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"}, "sku": {"type": "string"}}}"#;

#[test]
fn published_fields_are_read_by_the_plain_tool_alone() {
    let site = Site::start();
    let url = site.url("/lamp");
    let ended = output(&["read", &url, "--schema", SCHEMA]);
    let read = json(&ended);
    assert!(ended.status.success());
    assert_eq!(
        (&read["url"], &read["final_url"], &read["title"]),
        (&json!(url), &json!(url), &json!("Brass desk lamp"))
    );
    let extracted = &read["extracted"];
    assert_eq!(extracted["data"]["price"], 89.95);
    assert_eq!(extracted["data"]["currency"], "AUD");
    assert_eq!(extracted["sources"]["price"], "jsonld:product.offers.price");
    assert_eq!((&extracted["found"], &extracted["of"], &extracted["valid"]), (&json!(3), &json!(4), &json!(true)));
    let tools = read["receipt"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!((&tools[0]["tool"], &tools[0]["ok"], &tools[0]["found"]), (&json!("http"), &json!(true), &json!(3)));
    assert_eq!(read["receipt"]["extracted"], json!({"found": 3, "of": 4, "missing": []}));
}

#[test]
fn a_page_that_lacks_a_required_property_is_read_again_in_the_browser() {
    let site = Site::start();
    let read = json(&output(&["read", &site.url("/scripted"), "--schema", SCHEMA]));
    assert_eq!(read["extracted"]["data"]["name"], "Brass desk lamp");
    assert_eq!(read["extracted"]["data"]["price"], 89.95);
    let tools: Vec<_> = read["receipt"]["tools"].as_array().unwrap().iter().map(|tool| &tool["tool"]).collect();
    assert_eq!(tools, ["http", "chromium"]);
    let plain = json(&output(&["read", &site.url("/scripted"), "--engine", "http", "--schema", SCHEMA]));
    assert_eq!(plain["receipt"]["extracted"]["missing"], json!(["price"]));
}

#[test]
fn a_file_is_read_like_a_page_and_needs_no_schema() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, "<title>Saved</title><h1>A saved page</h1><p>with text").unwrap();
    let read = json(&output(&["read", file.to_str().unwrap()]));
    assert_eq!((&read["title"], &read["extracted"]), (&json!("Saved"), &json!(null)));
    assert!(read["text"].as_str().unwrap().starts_with("# A saved page"));
    assert!(read["url"].as_str().unwrap().starts_with("file:///"));
}

#[test]
fn a_page_from_stdin_has_the_address_that_is_given() {
    let html = "<title>Saved</title><h1>A saved page</h1><a href='/more'>More</a>";
    let html = format!(
        "{html}<script type='application/ld+json'>{}</script>",
        json!({"@type": "Product", "name": "A", "image": "/a.png"})
    );
    let command = errand(&["read", "-", "--url", "https://shop.example/a/b", "--schema", r#"{"image": "string"}"#]);
    let read = json(&output_with(command, &html));
    assert_eq!((&read["title"], &read["url"]), (&json!("Saved"), &json!("https://shop.example/a/b")));
    assert_eq!(read["extracted"]["data"]["image"], "https://shop.example/a.png", "{read:#}");
    let bare = json(&output_with(errand(&["read", "-"]), &html));
    assert_eq!(bare["url"], "about:blank");
    for page in ["https://shop.example/", "-"] {
        let (code, said) =
            refusal(&output(&["read", page, "--url", if page == "-" { "a/b" } else { "https://x.example/" }]));
        assert!(code == 2 && said.starts_with("Error: --url "), "{said}");
    }
}

#[test]
fn bad_input_ends_with_2_and_the_contracts_words() {
    let cases = [
        (vec!["read", "http://127.0.0.1:9/", "--schema", "{nope"], "Error: --json-schema is not valid JSON: "),
        (
            vec!["read", "http://127.0.0.1:9/", "--json-schema", r#"{"type": "strin"}"#],
            "Error: --json-schema is not a valid JSON Schema: ",
        ),
        (
            vec!["read", "http://127.0.0.1:9/", "--schema", r#"{"type": "string"}"#],
            "Error: extract_schema must be a JSON Schema object with properties",
        ),
        (vec!["read", "no-such-file.html"], "Error: \"no-such-file.html\" is neither"),
        (
            vec!["run", "g", "--url", "http://a.example/", "--schema", "{nope"],
            "Error: --json-schema is not valid JSON: ",
        ),
        (
            vec!["run", "g", "--url", "http://a.example/", "--schema", r#"{"$schema": "urn:x", "type": "object"}"#],
            "Error: --json-schema is not a valid JSON Schema: no schema with key or ref \"urn:x\"",
        ),
    ];
    for (words, wanted) in cases {
        let (code, said) = refusal(&output(&words));
        assert_eq!(code, 2, "{words:?}: {said}");
        assert!(said.starts_with(wanted), "{words:?}: {said}");
    }
}

#[test]
fn a_page_that_is_not_there_ends_with_1_and_says_what_each_tool_met() {
    let site = Site::start();
    let (code, said) = refusal(&output(&["read", &site.url("/nothing"), "--schema", SCHEMA]));
    assert_eq!(code, 1);
    assert!(said.contains("http: the server answered 404; chromium: the server answered 404"), "{said}");
}

#[test]
fn the_receipt_says_of_which_page_the_browser_gave_only_the_beginning() {
    let site = Site::start();
    for (page, engine, is_cut) in [("/long", "chromium", true), ("/long", "http", false), ("/lamp", "chromium", false)]
    {
        let read = json(&output(&["read", &site.url(page), "--schema", SCHEMA, "--engine", engine]));
        let row = &read["receipt"]["tools"][0];
        assert_eq!((&row["ok"], row["cut"] == true), (&json!(true), is_cut), "{page} {engine}: {row}");
        assert_eq!(read["extracted"]["data"]["price"], 89.95, "{page} {engine}");
    }
}

/// Chromium says the same of a host that the proxy refuses and of one that it cannot reach.
#[test]
fn a_dead_https_site_is_unreachable_to_every_engine_and_forbidden_to_none() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (http, chromium) = ("http: no connection to ", "chromium: 127.0.0.1 could not be reached");
    for (engine, told) in [("http", &[http][..]), ("chromium", &[chromium]), ("auto", &[http, chromium])] {
        let (code, said) = refusal(&output(&["read", &format!("https://{closed}/"), "--engine", engine]));
        assert!(code == 1 && said.starts_with("Error: the page could not be read: "), "{engine}: {said}");
        assert!(told.iter().all(|told| said.contains(told)), "{engine}: {said}");
    }
}

#[test]
fn without_a_browser_the_plain_tools_page_is_kept_and_the_receipt_says_so() {
    let site = Site::start();
    let mut command = errand(&["read", &site.url("/scripted"), "--schema", SCHEMA]);
    let ended = command.env("ERRAND_CHROMIUM", "/nowhere/chromium").output().unwrap();
    let read = json(&ended);
    let browser = &read["receipt"]["tools"][1];
    assert_eq!((&browser["tool"], &browser["ok"]), (&json!("chromium"), &json!(false)));
    assert_eq!(browser["error"], "the browser could not be started");
    assert!(refusal(&ended).1.contains("/nowhere/chromium"), "whose machine it is hears more");
}

#[test]
fn explaining_lists_what_was_considered_and_needs_a_schema() {
    let site = Site::start();
    let url = site.url("/lamp");
    let read = json(&output(&["read", &url, "--schema", SCHEMA, "--explain"]));
    let prices = read["explained"]["price"].as_array().unwrap();
    assert_eq!((&prices[0]["won"], &prices[0]["source"]), (&json!(true), &json!("jsonld:product.offers.price")));
    assert!(prices.len() > 1 && prices[1]["won"] == false && prices[1]["why"].is_string(), "{prices:?}");
    assert!(json(&output(&["read", &url, "--schema", SCHEMA])).get("explained").is_none());
    let (code, said) = refusal(&output(&["read", &url, "--explain"]));
    assert!(code == 2 && said.contains("--schema"), "{said}");
}

#[test]
fn a_terminal_gets_a_table_and_json_when_asked() {
    let site = Site::start();
    let url = site.url("/lamp");
    let shown = on_terminal(errand(&["read", &url, "--schema", SCHEMA, "--explain"]));
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..2], ["Brass desk lamp", &url], "{shown}");
    assert_eq!(lines[3], "FIELD     VALUE            SOURCE", "{shown}");
    assert!(lines.contains(&"price     89.95            jsonld:product.offers.price"), "{shown}");
    assert!(lines.iter().any(|line| line.starts_with("  won ")) && lines.contains(&"sku: nothing was found that fits"));
    let asked = on_terminal(errand(&["read", &url, "--schema", SCHEMA, "--json"]));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&asked).unwrap()["title"], "Brass desk lamp");
}

#[test]
fn a_server_gives_the_client_the_same_answer_as_the_command() {
    let site = Site::start();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_with(
        serve(&folder).env("ERRAND_ALLOW_NETWORKS", "127.0.0.0/8").env("ERRAND_API_KEY", "a-key-of-twenty-letters"),
    );
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let client = errand_client::Client::new(&server.address, "a-key-of-twenty-letters").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let schema = serde_json::from_str(SCHEMA).unwrap();
    let url = site.url("/lamp");
    let mut served = runtime.block_on(client.read(&url, Some(&schema), None)).unwrap();
    let mut printed = json(&output(&["read", &url, "--schema", SCHEMA]));
    for answer in [&mut served, &mut printed] {
        answer["receipt"]["tools"][0]["ms"] = json!(0);
    }
    assert_eq!(served, printed);
    let refused = runtime.block_on(client.read(&url, None, Some("curl"))).unwrap_err().to_string();
    assert!(refused.contains("\"engine\" must be"), "{refused}");
}
