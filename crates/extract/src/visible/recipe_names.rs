//! The name of a recipe told within a post: the post's heading says more, the recipe's own name stands in its card.

use serde_json::Value;

use super::hints::is_framing;
use crate::convert::convert;
use crate::dom::{Dom, Id};
use crate::fill::Candidate;
use crate::page::Page;
use crate::schema::{Field, Shape};
use crate::text::{fold, shown_up_to, words};

/// Score of a recipe's own name: more than the main heading.
const SCORE: f64 = 78.0;
/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 150;

/// The name that a recipe's card has, if a recipe is asked for and the page has one.
#[must_use]
pub fn find(page: &Page, field: &Field, root: &Field) -> Option<Candidate> {
    if field.concept.is_none_or(|concept| concept.id != "name") || !asks_for_recipe(root) {
        return None;
    }
    let dom = &page.dom;
    let mut names: Vec<String> = dom
        .below(page.body)
        .filter(|id| is_called_name(dom, *id) && !is_framing(dom, *id))
        .map(|id| shown_up_to(dom, id, NAME_BYTES_MAX))
        .filter(|text| !text.is_empty() && text.len() <= NAME_BYTES_MAX)
        .collect();
    names.dedup_by_key(|name| fold(name));
    // Several are a list of recipes.
    let [only] = names.as_slice() else { return None };
    let value = convert(page, field, &Value::String(only.clone()))?;
    Some(Candidate::new(value, "text", SCORE, "the name that the recipe's card has"))
}

fn asks_for_recipe(root: &Field) -> bool {
    let Shape::Record(fields) = &root.shape else { return false };
    let is_of_recipe = |field: &Field| {
        field.concept.is_some_and(|concept| matches!(concept.id, "ingredients" | "instructions" | "yields"))
    };
    fields.iter().any(is_of_recipe)
}

/// `recipe-name`, `recipe_title`; `fn` in hRecipe and `p-name` in h-recipe.
fn is_called_name(dom: &Dom, id: Id) -> bool {
    let Some(class) = dom.attr(id, "class") else { return false };
    class.split_ascii_whitespace().any(|word| match word {
        "fn" => is_directly_in(dom, id, "hrecipe"),
        "p-name" => is_directly_in(dom, id, "h-recipe"),
        _ => {
            let words = words(word);
            matches!(words.as_slice(), [.., recipe, name] if recipe == "recipe" && matches!(name.as_str(), "name" | "title"))
        }
    })
}

/// Whether the nearest microformat around an element is this one, and not an author's card in it.
fn is_directly_in(dom: &Dom, id: Id, root: &str) -> bool {
    let is_root = |word: &str| matches!(word, "hrecipe" | "h-recipe" | "vcard" | "h-card" | "h-entry" | "hentry");
    let around = dom.ancestors(id).filter_map(|at| dom.attr(at, "class"));
    let mut roots = around.flat_map(|class| class.split_ascii_whitespace()).filter(|word| is_root(word));
    roots.next() == Some(root)
}
