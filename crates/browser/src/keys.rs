//! Keys by their DOM names (UI Events KeyboardEvent key and code values) with the Windows codes Chromium wants.

/// A key with what it types, and the modifiers held with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyPress {
    pub(crate) key: String,
    pub(crate) code: String,
    pub(crate) virtual_code: u32,
    /// What it types, when no modifier but Shift is held.
    pub(crate) text: Option<String>,
    /// Alt 1, Control 2, Meta 4, Shift 8.
    pub(crate) modifiers: u8,
}

const CONTROL: u8 = 2;
const SHIFT: u8 = 8;

/// Name, code, Windows code and typed text of the keys that are not characters.
const NAMED_KEYS: [(&str, &str, u32, Option<&str>); 16] = [
    ("Enter", "Enter", 13, Some("\r")),
    ("Tab", "Tab", 9, None),
    ("Escape", "Escape", 27, None),
    ("Backspace", "Backspace", 8, None),
    ("Delete", "Delete", 46, None),
    ("Insert", "Insert", 45, None),
    ("Home", "Home", 36, None),
    ("End", "End", 35, None),
    ("PageUp", "PageUp", 33, None),
    ("PageDown", "PageDown", 34, None),
    ("ArrowLeft", "ArrowLeft", 37, None),
    ("ArrowUp", "ArrowUp", 38, None),
    ("ArrowRight", "ArrowRight", 39, None),
    ("ArrowDown", "ArrowDown", 40, None),
    (" ", "Space", 32, Some(" ")),
    ("F5", "F5", 116, None),
];

/// Reads a key such as `Enter`, `a` or `Control+a`; `None` when there is no such key.
pub(crate) fn parse_key(name: &str) -> Option<KeyPress> {
    let (modifiers, base) = split_modifiers(name)?;
    let base = match base {
        "Space" | "Spacebar" => " ",
        "Esc" => "Escape",
        "Return" => "Enter",
        "Del" => "Delete",
        other => other,
    };
    let named = NAMED_KEYS.iter().find(|(key, ..)| key.eq_ignore_ascii_case(base));
    let press = match named {
        Some((key, code, virtual_code, text)) => KeyPress {
            key: (*key).to_owned(),
            code: (*code).to_owned(),
            virtual_code: *virtual_code,
            text: text.map(str::to_owned),
            modifiers,
        },
        None => character_key(base, modifiers)?,
    };
    let types_nothing = modifiers & !SHIFT != 0;
    Some(if types_nothing { KeyPress { text: None, ..press } } else { press })
}

fn split_modifiers(name: &str) -> Option<(u8, &str)> {
    let mut modifiers = 0;
    let mut rest = name;
    while let Some((modifier, after)) = rest.split_once('+') {
        if modifier.is_empty() || after.is_empty() {
            break;
        }
        modifiers |= match modifier.to_ascii_lowercase().as_str() {
            "alt" => 1,
            "control" | "ctrl" => CONTROL,
            "meta" | "cmd" | "command" => 4,
            "shift" => SHIFT,
            _ => return None,
        };
        rest = after;
    }
    Some((modifiers, rest))
}

fn character_key(base: &str, modifiers: u8) -> Option<KeyPress> {
    let mut characters = base.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else { return None };
    let upper = character.to_ascii_uppercase();
    let code = match upper {
        'A'..='Z' => format!("Key{upper}"),
        '0'..='9' => format!("Digit{upper}"),
        _ => String::new(),
    };
    let virtual_code = if upper.is_ascii_alphanumeric() { u32::from(upper) } else { 0 };
    let key = if modifiers & SHIFT != 0 { upper } else { character };
    Some(KeyPress { key: key.to_string(), code, virtual_code, text: Some(key.to_string()), modifiers })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_keys_are_found_without_regard_to_case() {
        let enter = parse_key("enter").unwrap();
        assert_eq!((enter.key.as_str(), enter.virtual_code, enter.text.as_deref()), ("Enter", 13, Some("\r")));
        assert_eq!(parse_key("Esc").unwrap().key, "Escape");
        assert_eq!(parse_key("Space").unwrap().code, "Space");
    }

    #[test]
    fn modifiers_keep_a_key_from_typing() {
        let select_all = parse_key("Control+a").unwrap();
        assert_eq!((select_all.modifiers, select_all.text), (CONTROL, None));
        assert_eq!(parse_key("Shift+a").unwrap().text.as_deref(), Some("A"));
    }

    #[test]
    fn characters_type_themselves_and_unknown_names_are_refused() {
        assert_eq!(parse_key("é").unwrap().text.as_deref(), Some("é"));
        assert_eq!(parse_key("+").unwrap().text.as_deref(), Some("+"));
        assert_eq!(parse_key("NoSuchKey"), None);
        assert_eq!(parse_key("Hyper+x"), None);
    }
}
