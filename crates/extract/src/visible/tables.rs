//! Tables as the browser's grid (HTML table model): which column headings stand over a cell, spans included.

use std::collections::BTreeMap;

use crate::dom::{Dom, Id};
use crate::text::shown_up_to;

/// Widest table read; wider spans are cut.
const COLUMNS_MAX: usize = 200;
/// Most rows a span may cover.
const SPAN_ROWS_MAX: usize = 2000;

/// One table laid out.
#[derive(Debug, Default)]
pub struct Grid {
    /// Column headings, left to right.
    pub headings: Vec<String>,
    /// Body rows with, for each column, the cell that covers it.
    pub rows: Vec<(Id, Vec<Option<Id>>)>,
}

/// Lays a table out. Rows of nested tables belong to those.
#[must_use]
pub fn grid(dom: &Dom, table: Id) -> Grid {
    let mut open: BTreeMap<usize, (Id, usize)> = BTreeMap::new();
    let mut grid = Grid::default();
    for row in rows(dom, table) {
        let cells = lay_row(dom, row, &mut open);
        let is_heading = grid.rows.is_empty() && is_heading_row(dom, row);
        if is_heading {
            let texts = cells.iter().map(|cell| cell.map(|id| shown_up_to(dom, id, 200)).unwrap_or_default());
            // A second heading row is the finer one; it wins where it has text.
            for (column, text) in texts.enumerate() {
                match grid.headings.get_mut(column) {
                    Some(known) if !text.is_empty() => *known = text,
                    Some(_) => {}
                    None => grid.headings.push(text),
                }
            }
        } else {
            grid.rows.push((row, cells));
        }
    }
    grid
}

/// The rows of a table, those of its sections included.
fn rows(dom: &Dom, table: Id) -> Vec<Id> {
    let mut rows = Vec::new();
    for child in dom.child_elements(table) {
        match dom.name(child) {
            "tr" => rows.push(child),
            "thead" | "tbody" | "tfoot" => rows.extend(dom.child_elements(child).filter(|id| dom.name(*id) == "tr")),
            _ => {}
        }
    }
    rows
}

fn lay_row(dom: &Dom, row: Id, open: &mut BTreeMap<usize, (Id, usize)>) -> Vec<Option<Id>> {
    let mut cells: Vec<Option<Id>> = Vec::new();
    let covered: Vec<(usize, Id)> = open.iter().map(|(column, (cell, _))| (*column, *cell)).collect();
    for (column, cell) in covered {
        place(&mut cells, column, cell);
    }
    for value in open.values_mut() {
        value.1 -= 1;
    }
    open.retain(|_, (_, left)| *left > 0);
    let mut column = 0;
    for cell in dom.child_elements(row).filter(|id| matches!(dom.name(*id), "td" | "th")) {
        while cells.get(column).is_some_and(Option::is_some) {
            column += 1;
        }
        let wide = span(dom, cell, "colspan").min(COLUMNS_MAX);
        let tall = span(dom, cell, "rowspan").min(SPAN_ROWS_MAX);
        for at in column..(column + wide).min(COLUMNS_MAX) {
            place(&mut cells, at, cell);
            if tall > 1 {
                open.insert(at, (cell, tall - 1));
            }
        }
        column += wide;
    }
    cells
}

fn place(cells: &mut Vec<Option<Id>>, column: usize, cell: Id) {
    if cells.len() <= column {
        cells.resize(column + 1, None);
    }
    if let Some(slot) = cells.get_mut(column) {
        *slot = Some(cell);
    }
}

fn span(dom: &Dom, cell: Id, name: &str) -> usize {
    dom.attr(cell, name).and_then(|text| text.trim().parse().ok()).unwrap_or(1).max(1)
}

/// A row in `thead`, or one whose cells are all `th`.
fn is_heading_row(dom: &Dom, row: Id) -> bool {
    if dom.name(dom.parent(row)) == "thead" {
        return true;
    }
    let mut cells = dom.child_elements(row).filter(|id| matches!(dom.name(*id), "td" | "th")).peekable();
    cells.peek().is_some() && cells.all(|cell| dom.name(cell) == "th")
}
