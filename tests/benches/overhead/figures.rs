//! Medians, and a plain table on stdout.

/// The middle value; of an even number, the upper of the two; 0 of none.
#[must_use]
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// A heading with a line about how it was measured.
pub fn print_heading(title: &str, how: &str) {
    println!("\n{title}\n  {how}");
}

/// One line: what, and the figures with their units.
pub fn print_row(what: &str, figures: &[String]) {
    let figures: String = figures.iter().map(|figure| format!("{figure:>22}")).collect();
    println!("  {what:<34}{figures}");
}
