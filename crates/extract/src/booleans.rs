//! True or false from words and from schema.org availabilities.

use serde_json::Value;

use crate::published::{local, property};
use crate::schema::Field;
use crate::text::fold;

/// Whether a found value means yes; a field that asks for the contrary (`sold_out`) gets the contrary.
#[must_use]
pub fn boolean(field: &Field, value: &Value) -> Option<bool> {
    let negated =
        matches!(fold(&field.name).as_str(), "outofstock" | "soldout" | "unavailable" | "isoutofstock" | "issoldout");
    let answer = match value {
        Value::Bool(answer) => return Some(*answer),
        Value::Number(number) => return number.as_f64().map(|number| number != 0.0),
        Value::String(text) => truth(text)?,
        Value::Array(items) => return items.iter().find_map(|item| boolean(field, item)),
        Value::Object(_) => {
            return property(value, "value").or_else(|| value.get("@value")).and_then(|value| boolean(field, value));
        }
        Value::Null => return None,
    };
    Some(answer != negated)
}

/// Booleans from words and from schema.org availabilities.
#[must_use]
pub fn truth(text: &str) -> Option<bool> {
    match fold(local(text)).as_str() {
        "true"
        | "yes"
        | "y"
        | "1"
        | "on"
        | "instock"
        | "available"
        | "instoreonly"
        | "onlineonly"
        | "limitedavailability"
        | "preorder"
        | "presale"
        | "madetoorder"
        | "ja"
        | "oui"
        | "sí"
        | "si"
        | "да"
        | "là"
        | "はい"
        | "是"
        | "enabled"
        | "included"
        | "auflager"
        | "enstock"
        | "disponible"
        | "lieferbar"
        | "verfügbar"
        | "sim"
        | "tak"
        | "ano"
        | "✓" => Some(true),
        "false"
        | "no"
        | "n"
        | "0"
        | "off"
        | "outofstock"
        | "soldout"
        | "discontinued"
        | "unavailable"
        | "backorder"
        | "notavailable"
        | "nein"
        | "non"
        | "нет"
        | "いいえ"
        | "否"
        | "disabled"
        | "nondisponible"
        | "agotado"
        | "ausverkauft"
        | "currentlyunavailable"
        | "não"
        | "nie"
        | "ne"
        | "outofprint" => Some(false),
        folded if folded.starts_with("instock") => Some(true),
        folded if folded.starts_with("outofstock") || folded.starts_with("soldout") => Some(false),
        _ => None,
    }
}
