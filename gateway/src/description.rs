//! The API's description (OpenAPI 3.1), served as `/openapi.json` and shown by `/docs`. The file is the contract's text;
//! tests hold the routes and real answers against it.

use serde_json::{Value, json};

/// The description, with this version of the server.
#[must_use]
pub(crate) fn description() -> Value {
    let mut description: Value =
        serde_json::from_str(include_str!("description/openapi.json")).expect("a test reads the file");
    description["info"]["version"] = json!(env!("CARGO_PKG_VERSION"));
    description
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::api_routes;
    use std::collections::BTreeSet;

    const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

    fn operations(description: &Value) -> Vec<(String, String, &Value)> {
        let paths = description["paths"].as_object().unwrap().iter();
        paths
            .flat_map(|(path, item)| {
                let found = METHODS.iter().filter_map(move |method| Some((*method, item.get(*method)?)));
                found.map(move |(method, operation)| (method.to_owned(), path.clone(), operation))
            })
            .collect()
    }

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let description = description();
        let described: BTreeSet<(String, String)> =
            operations(&description).into_iter().map(|(method, path, _)| (method, path)).collect();
        let served: BTreeSet<(String, String)> =
            api_routes().iter().map(|route| (route.method.to_owned(), route.path.to_owned())).collect();
        assert_eq!(described, served);
    }

    #[test]
    fn every_call_describes_the_query_parameters_that_it_takes() {
        let description = description();
        for route in api_routes() {
            let item = &description["paths"][route.path];
            let listed = [&item["parameters"], &item[route.method]["parameters"]];
            let found = listed.into_iter().filter_map(Value::as_array).flatten().map(|parameter| {
                let place = parameter["$ref"].as_str().map(|place| place.trim_start_matches('#'));
                place.map_or(parameter, |place| description.pointer(place).unwrap())
            });
            let queries = found.filter(|parameter| parameter["in"] == "query");
            let described: BTreeSet<&str> = queries.map(|parameter| parameter["name"].as_str().unwrap()).collect();
            let taken: BTreeSet<&str> = route.parameters.iter().copied().collect();
            assert_eq!(described, taken, "{} {}", route.method, route.path);
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let description = description();
        let mut dangling = Vec::new();
        visit(&description, &mut |reference| {
            if description.pointer(reference.trim_start_matches('#')).is_none() {
                dangling.push(reference.to_owned());
            }
        });
        assert_eq!(dangling, Vec::<String>::new());
    }

    /// Schemas of what clients send: they name what they do not know, and so does the server.
    const REQUESTS: [&str; 4] = ["RunRequest", "Reply", "SecretInput", "ReadRequest"];

    /// What generators of clients stumble over: a `const` or `enum` whose type they must guess, an object without
    /// properties that they take for an empty one, and an answer that a later version may not add a field to.
    fn faults_of(place: &str, value: &Value, is_request: bool, faults: &mut Vec<String>) {
        let has = |name: &str| value.get(name).is_some();
        if (has("const") || value["enum"].is_array()) && !has("type") {
            faults.push(format!("{place}: no type beside const or enum"));
        }
        let is_object = value["type"] == "object" || value["type"] == json!(["object", "null"]);
        if is_object && !value["properties"].is_object() && !has("additionalProperties") {
            faults.push(format!("{place}: a free-form object that takes nothing"));
        }
        if value["properties"].is_object() && (value["additionalProperties"] == false) != is_request {
            faults.push(format!("{place}: a request is closed, an answer is open"));
        }
        let children: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(name, child)| (format!("{place}/{name}"), child)).collect(),
            Value::Array(items) => items.iter().map(|child| (place.to_owned(), child)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        };
        for (place, child) in children.iter().filter(|(place, _)| !place.ends_with("/example")) {
            faults_of(place, child, is_request, faults);
        }
    }

    #[test]
    fn every_schema_can_be_made_into_a_client_that_outlives_new_fields() {
        let description = description();
        let mut faults = Vec::new();
        for (name, schema) in description["components"]["schemas"].as_object().unwrap() {
            faults_of(name, schema, REQUESTS.contains(&name.as_str()), &mut faults);
        }
        assert_eq!(faults, Vec::<String>::new());
    }

    #[test]
    fn every_operation_lists_what_any_call_may_answer() {
        let description = description();
        for (method, path, operation) in operations(&description) {
            for status in ["400", "405", "500"] {
                assert!(operation["responses"].get(status).is_some(), "{method} {path}: {status}");
            }
            let takes_body = operation.get("requestBody").is_some();
            for status in ["408", "413", "415"] {
                assert_eq!(operation["responses"].get(status).is_some(), takes_body, "{method} {path}: {status}");
            }
        }
    }

    fn visit(value: &Value, seen: &mut impl FnMut(&str)) {
        match value {
            Value::Object(fields) => {
                if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                    seen(reference);
                }
                fields.values().for_each(|value| visit(value, seen));
            }
            Value::Array(items) => items.iter().for_each(|item| visit(item, seen)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_a_known_tag_and_its_failures() {
        let description = description();
        let tags: BTreeSet<&str> =
            description["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
        let mut names = BTreeSet::new();
        for (method, path, operation) in operations(&description) {
            let name = operation["operationId"].as_str().unwrap().to_owned();
            assert!(names.insert(name), "{method} {path}");
            assert!(tags.contains(operation["tags"][0].as_str().unwrap()), "{method} {path}");
            let is_open = operation.get("security").is_some();
            assert!(is_open || operation["responses"].get("401").is_some(), "{method} {path}");
            assert!(!path.contains("{id}") || operation["responses"].get("410").is_some(), "{method} {path}");
        }
    }
}
