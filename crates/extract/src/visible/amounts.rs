//! Amounts as recipes and shopping lists write them: "2 cups", "½", "150 g", "1–2 EL", "半个".

/// Longest amount that stands alone, in characters.
const BARE_CHARS_MAX: usize = 24;
/// Most words of an amount that stands alone.
const BARE_WORDS_MAX: usize = 3;

/// Whether a text begins with a number, marks and brackets aside.
#[must_use]
pub fn leads(text: &str) -> bool {
    text.chars().find(|c| c.is_alphanumeric()).is_some_and(is_number)
}

/// Whether a text ends with a number, with or without a unit after it, or with an amount after a comma.
#[must_use]
pub fn trails(text: &str) -> bool {
    let mut back = text.split_whitespace().rev();
    let Some(last) = back.next() else { return false };
    let after_comma = text.rsplit_once([',', ':']).is_some_and(|(name, rest)| !leads(name) && leads(rest));
    last.chars().any(is_number) || back.next().is_some_and(leads) || after_comma
}

/// Whether a text is an amount and nothing else.
#[must_use]
pub fn is_bare(text: &str) -> bool {
    leads(text) && text.chars().count() <= BARE_CHARS_MAX && text.split_whitespace().count() <= BARE_WORDS_MAX
}

/// The share of texts that begin or end with an amount, 0 to 1.
#[must_use]
pub fn share(texts: &[String]) -> f64 {
    share_of(texts, |text| leads(text) || trails(text))
}

/// The share of texts of which something is true, 0 to 1.
#[must_use]
pub fn share_of(texts: &[String], is_so: impl Fn(&str) -> bool) -> f64 {
    let with = texts.iter().filter(|text| is_so(text)).count();
    #[expect(clippy::cast_precision_loss, reason = "lists are short")]
    let share = with as f64 / texts.len().max(1) as f64;
    share
}

fn is_number(c: char) -> bool {
    c.is_numeric()
        || matches!(c, '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十' | '半' | '两' | '兩')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_stand_in_front_or_at_the_end() {
        for text in ["2 cups flour", "½ tsp salt", "• 15 g Parmesan", "(1 oz) rum", "半根 胡萝卜"] {
            assert!(leads(text), "{text}");
        }
        for text in ["filet de saumon 600 g", "塩 小さじ1", "citroen 1", "múka, 10 PL", "vajcia , 2 ks celé"] {
            assert!(trails(text) && !leads(text), "{text}");
        }
        assert!(!leads("sel et poivre") && !trails("sel et poivre"));
        assert!(is_bare("1 1/2 cups") && !is_bare("2 cups of flour"));
    }
}
