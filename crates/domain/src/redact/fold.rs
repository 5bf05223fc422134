//! Characters without the differences that a reader does not see: case, width, composition, kinds of space, and what
//! takes no room at all.

use unicode_normalization::char::decompose_compatible;

/// Gives what a character is compared as: nothing for an invisible one, a space for white space and for `+` (a space in a
/// query), otherwise its parts in compatible decomposition, without case.
pub(super) fn fold(c: char, mut take: impl FnMut(char)) {
    if c.is_ascii() {
        match c {
            '+' => take(' '),
            _ if c.is_whitespace() => take(' '),
            _ if c.is_control() => {}
            _ => take(c.to_ascii_lowercase()),
        }
        return;
    }
    decompose_compatible(c, |part| fold_part(part, &mut take));
}

fn fold_part(part: char, take: &mut impl FnMut(char)) {
    if is_invisible(part) {
        return;
    }
    if part.is_whitespace() {
        take(' ');
        return;
    }
    // Upper case first: what differs in lower case only (`ς` and `σ`, `ſ` and `s`) is alike there.
    part.to_uppercase().flat_map(char::to_lowercase).for_each(take);
}

/// Unicode's `Default_Ignorable_Code_Point`, and control characters that are no white space.
fn is_invisible(c: char) -> bool {
    let is_ignorable = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}');
    is_ignorable || (c.is_control() && !c.is_whitespace())
}
