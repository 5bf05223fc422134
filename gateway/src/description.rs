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
