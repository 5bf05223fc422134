//! Reads the body of a read request (SPEC §5). Every fault names its field.

use errand_domain::run::check_url;
use errand_domain::schema::{OutputContract, SchemaFault};
use errand_read::{Engine, ReadSchema, SchemaError};
use serde_json::{Map, Value};
use url::Url;

use crate::fault::Fault;

const FIELDS: [&str; 3] = ["url", "schema", "engine"];

/// What is to be read.
#[derive(Debug)]
pub(super) struct ReadRequest {
    pub url: Url,
    pub engine: Engine,
    pub schema: Option<ReadSchema>,
}

impl ReadRequest {
    /// # Errors
    /// When a field is unknown, missing or not what it must be.
    pub(super) fn parse(body: &Value) -> Result<Self, Fault> {
        let fields = body.as_object().ok_or_else(|| Fault::invalid("the body must be a JSON object"))?;
        if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(Fault::field(unknown, format!("\"{unknown}\" is not a field of a read request")));
        }
        Ok(Self {
            url: read_url(fields)?,
            engine: read_engine(fields)?,
            schema: present(fields, "schema").map(read_schema).transpose()?,
        })
    }
}

/// The field's value; an explicit null is an absent field.
fn present<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

fn read_url(fields: &Map<String, Value>) -> Result<Url, Fault> {
    let wanted = "an absolute http or https URL";
    let given = present(fields, "url").ok_or_else(|| Fault::field("url", "\"url\" is required"))?;
    // What is no text is no URL either.
    Ok(check_url("url", given.as_str().unwrap_or_default(), &["http", "https"], wanted)?)
}

fn read_engine(fields: &Map<String, Value>) -> Result<Engine, Fault> {
    let Some(given) = present(fields, "engine") else { return Ok(Engine::default()) };
    let fault = || Fault::field("engine", "\"engine\" must be \"http\", \"chromium\" or \"auto\"");
    given.as_str().and_then(Engine::parse).ok_or_else(fault)
}

/// Shorthand or JSON Schema, as everywhere; the extractor has words of its own for what it cannot use (SPEC §5).
fn read_schema(given: &Value) -> Result<ReadSchema, Fault> {
    let contract = OutputContract::from_request(Some(given), None).map_err(|fault| match fault {
        SchemaFault::TooLarge { bytes, .. } => SchemaFault::TooLarge { param: "schema", bytes }.to_string(),
        SchemaFault::Unusable { reason, .. } => SchemaError::Invalid { reason }.to_string(),
        SchemaFault::NotAnObject { .. }
        | SchemaFault::Both
        | SchemaFault::UnknownField { .. }
        | SchemaFault::FormatType
        | SchemaFault::FormatSchema => SchemaError::NotAnObject.to_string(),
    });
    let contract = contract.map_err(|message| Fault::field("schema", message))?;
    let schema = contract.map_or(Value::Null, |contract| contract.schema().clone());
    ReadSchema::new(schema).map_err(|error| Fault::field("schema", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fault(extra: Value) -> (Option<String>, String) {
        let mut body = json!({"url": "https://shop.example/lamp"});
        for (name, value) in extra.as_object().unwrap() {
            body[name] = value.clone();
        }
        let fault = ReadRequest::parse(&body).unwrap_err();
        assert_eq!(fault.code, "invalid_request");
        (fault.param, fault.message)
    }

    fn message(extra: Value) -> String {
        fault(extra).1
    }

    #[test]
    fn the_schema_and_the_engine_may_be_left_out() {
        let request = ReadRequest::parse(&json!({"url": "HTTPS://Shop.example", "schema": null})).unwrap();
        assert_eq!((request.url.as_str(), request.engine), ("https://shop.example/", Engine::Auto));
        assert!(request.schema.is_none());
    }

    #[test]
    fn every_fault_names_its_field() {
        assert_eq!(fault(json!({"colour": 1})).0.as_deref(), Some("colour"));
        assert_eq!(message(json!({"colour": 1})), "\"colour\" is not a field of a read request");
        assert_eq!(message(json!({"url": null})), "\"url\" is required");
        for bad in [json!("lamp"), json!("ftp://shop.example/"), json!(7), json!("http://")] {
            assert_eq!(message(json!({"url": bad})), "\"url\" must be an absolute http or https URL");
        }
        let engine = "\"engine\" must be \"http\", \"chromium\" or \"auto\"";
        assert_eq!((message(json!({"engine": "curl"})), message(json!({"engine": 1}))), (engine.into(), engine.into()));
        assert_eq!(ReadRequest::parse(&json!([])).unwrap_err().message, "the body must be a JSON object");
    }

    #[test]
    fn a_schema_that_cannot_be_used_has_the_contracts_words() {
        for bad in [json!("name"), json!([]), json!({}), json!({"type": "string"}), json!({"type": "object"})] {
            let (param, message) = fault(json!({"schema": bad}));
            assert_eq!(message, "extract_schema must be a JSON Schema object with properties");
            assert_eq!(param.as_deref(), Some("schema"));
        }
        let unusable = message(json!({"schema": {"type": "object", "properties": {"a": {"type": "strin"}}}}));
        assert!(unusable.starts_with("extract_schema is not a valid JSON Schema: "), "{unusable}");
        let unknown = message(json!({"schema": {"$schema": "urn:x", "type": "object", "properties": {"a": {}}}}));
        assert!(unknown.ends_with("no schema with key or ref \"urn:x\""), "{unknown}");
        let large = message(json!({"schema": {"a": "x".repeat(20_480)}}));
        assert!(large.starts_with("\"schema\" must be at most 20480 bytes of JSON, not "), "{large}");
    }

    #[test]
    fn shorthand_is_a_schema_too() {
        let body = json!({"url": "https://shop.example/", "schema": {"name": "string"}, "engine": "http"});
        let schema = ReadRequest::parse(&body).unwrap().schema.unwrap();
        assert!(schema.json()["properties"]["name"].is_object());
    }
}
