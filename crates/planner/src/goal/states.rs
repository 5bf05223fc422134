//! Names and abbreviations of US states, Canadian provinces and common countries: forms show one form, goals the other.

/// USPS abbreviation and name (USPS Publication 28, appendix B), then Canadian provinces.
const STATES: &[(&str, &str)] = &[
    ("AL", "Alabama"),
    ("AK", "Alaska"),
    ("AZ", "Arizona"),
    ("AR", "Arkansas"),
    ("CA", "California"),
    ("CO", "Colorado"),
    ("CT", "Connecticut"),
    ("DE", "Delaware"),
    ("DC", "District of Columbia"),
    ("FL", "Florida"),
    ("GA", "Georgia"),
    ("HI", "Hawaii"),
    ("ID", "Idaho"),
    ("IL", "Illinois"),
    ("IN", "Indiana"),
    ("IA", "Iowa"),
    ("KS", "Kansas"),
    ("KY", "Kentucky"),
    ("LA", "Louisiana"),
    ("ME", "Maine"),
    ("MD", "Maryland"),
    ("MA", "Massachusetts"),
    ("MI", "Michigan"),
    ("MN", "Minnesota"),
    ("MS", "Mississippi"),
    ("MO", "Missouri"),
    ("MT", "Montana"),
    ("NE", "Nebraska"),
    ("NV", "Nevada"),
    ("NH", "New Hampshire"),
    ("NJ", "New Jersey"),
    ("NM", "New Mexico"),
    ("NY", "New York"),
    ("NC", "North Carolina"),
    ("ND", "North Dakota"),
    ("OH", "Ohio"),
    ("OK", "Oklahoma"),
    ("OR", "Oregon"),
    ("PA", "Pennsylvania"),
    ("PR", "Puerto Rico"),
    ("RI", "Rhode Island"),
    ("SC", "South Carolina"),
    ("SD", "South Dakota"),
    ("TN", "Tennessee"),
    ("TX", "Texas"),
    ("UT", "Utah"),
    ("VT", "Vermont"),
    ("VA", "Virginia"),
    ("WA", "Washington"),
    ("WV", "West Virginia"),
    ("WI", "Wisconsin"),
    ("WY", "Wyoming"),
    ("AB", "Alberta"),
    ("BC", "British Columbia"),
    ("MB", "Manitoba"),
    ("NB", "New Brunswick"),
    ("NL", "Newfoundland and Labrador"),
    ("NS", "Nova Scotia"),
    ("ON", "Ontario"),
    ("PE", "Prince Edward Island"),
    ("QC", "Quebec"),
    ("SK", "Saskatchewan"),
];

/// The first of the table that is Canadian.
const FIRST_PROVINCE: &str = "AB";

const COUNTRIES: &[&[&str]] = &[
    &["United States", "USA", "US", "United States of America", "U.S.A.", "U.S."],
    &["United Kingdom", "UK", "GB", "Great Britain", "U.K."],
    &["Canada", "CA"],
    &["Germany", "DE", "Deutschland"],
    &["France", "FR"],
    &["Spain", "ES", "España"],
    &["Italy", "IT", "Italia"],
    &["Netherlands", "NL", "The Netherlands"],
    &["Austria", "AT", "Österreich"],
    &["Switzerland", "CH", "Schweiz"],
    &["Australia", "AU"],
    &["Ireland", "IE"],
    &["Belgium", "BE"],
    &["Sweden", "SE"],
    &["Norway", "NO"],
    &["Denmark", "DK"],
    &["Poland", "PL"],
    &["Portugal", "PT"],
    &["New Zealand", "NZ"],
    &["India", "IN"],
    &["Japan", "JP"],
    &["Brazil", "BR"],
    &["Mexico", "MX"],
];

/// The other written form of a state: `IL` gives `Illinois` and the reverse.
#[must_use]
pub fn other_form(state: &str) -> Option<&'static str> {
    STATES.iter().find_map(|(short, long)| {
        if short.eq_ignore_ascii_case(state) {
            Some(*long)
        } else if long.eq_ignore_ascii_case(state) {
            Some(*short)
        } else {
            None
        }
    })
}

/// Whether the text is a state or province, by its capital abbreviation or by its name.
#[must_use]
pub fn is_state(text: &str) -> bool {
    STATES.iter().any(|(short, long)| *short == text || long.eq_ignore_ascii_case(text))
}

/// The country a state belongs to.
#[must_use]
pub fn country_of(state: &str) -> Option<&'static str> {
    let place = |wanted: &str| {
        STATES.iter().position(|(short, long)| short.eq_ignore_ascii_case(wanted) || long.eq_ignore_ascii_case(wanted))
    };
    let is_canadian = place(state)? >= place(FIRST_PROVINCE)?;
    Some(if is_canadian { "Canada" } else { "United States" })
}

/// All names of a country, its own first; empty when it is not in the table.
#[must_use]
pub fn names_of_country(country: &str) -> &'static [&'static str] {
    COUNTRIES
        .iter()
        .find(|names| names.iter().any(|name| name.eq_ignore_ascii_case(country)))
        .copied()
        .unwrap_or_default()
}

/// Whether the text is a country's name; two-letter codes do not count, they are states more often.
#[must_use]
pub fn is_country(text: &str) -> bool {
    text.chars().count() > 2 && !names_of_country(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_known_by_both_forms() {
        assert_eq!(other_form("IL"), Some("Illinois"));
        assert_eq!(other_form("illinois"), Some("IL"));
        assert_eq!(country_of("ON"), Some("Canada"));
        assert_eq!(country_of("Illinois"), Some("United States"));
        assert!(!is_state("in"));
    }
}
