//! Plain tables for terminals.

use std::io::IsTerminal;

/// Longest cell; a table is for looking at, JSON for the whole.
const CELL_CHARS_MAX: usize = 72;

/// Whether a person reads stdout.
#[must_use]
pub fn is_for_people() -> bool {
    std::io::stdout().is_terminal()
}

/// Columns as wide as their cells, without a line's trailing blanks.
#[must_use]
pub fn table(heads: &[&str], rows: &[Vec<String>]) -> String {
    let heads: Vec<String> = heads.iter().map(|head| (*head).to_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect();
    let all = || std::iter::once(&heads).chain(&rows);
    let width = |column: usize| all().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..heads.len()).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    all().map(line).collect()
}

/// Text of a page or a person without control characters: a terminal would obey them.
#[must_use]
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|letter| if is_plain(letter) { letter } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// As [`one_line`], but lines stay lines.
#[must_use]
pub fn lines(text: &str) -> String {
    text.chars().map(|letter| if letter == '\n' || is_plain(letter) { letter } else { ' ' }).collect()
}

/// Neither a control character nor one that turns the direction of what follows.
fn is_plain(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// One line of at most a cell's length.
#[must_use]
pub fn cell(text: &str) -> String {
    let text = one_line(text);
    if text.chars().count() <= CELL_CHARS_MAX {
        return text;
    }
    let kept: String = text.chars().take(CELL_CHARS_MAX - 1).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_a_page_cannot_steer_the_terminal() {
        let rows = [vec!["name".to_owned(), "a\x1b[31m\nred".to_owned()], vec!["x".to_owned(), String::new()]];
        assert_eq!(table(&["FIELD", "VALUE"], &rows), "FIELD  VALUE\nname   a [31m red\nx\n");
    }

    #[test]
    fn long_cells_are_cut_between_letters() {
        let cut = table(&["A"], &[vec!["é".repeat(100)]]);
        assert_eq!(cut.lines().nth(1).map(|line| line.chars().count()), Some(CELL_CHARS_MAX));
    }
}
