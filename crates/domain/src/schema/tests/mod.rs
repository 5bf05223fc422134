//! Contracts that the tests of schemas share.

mod habits;
mod keywords;
mod requests;

use serde_json::{Value, json};

use super::{OutputContract, SchemaFault, normalise};

fn contract(output_schema: Value) -> OutputContract {
    OutputContract::from_request(Some(&output_schema), None).unwrap().unwrap()
}

fn format_contract(schema: Value) -> OutputContract {
    let output_format = json!({"type": "json_schema", "schema": schema});
    OutputContract::from_request(None, Some(&output_format)).unwrap().unwrap()
}

fn fault(output_schema: Value) -> SchemaFault {
    OutputContract::from_request(Some(&output_schema), None).unwrap_err()
}

fn failing(contract: &OutputContract, data: &Value) -> Vec<String> {
    contract.validate(data).unwrap_err().iter().map(ToString::to_string).collect()
}
