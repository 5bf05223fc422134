//! What clients can do with runs, without HTTP: every call takes the caller and gives a value or a fault.

mod create;
mod delete;
mod deliveries;
mod list;
mod object;
mod reply;
mod screenshot;
mod wait;

pub(crate) use create::create;
pub(crate) use delete::{delete, delete_expired};
pub(crate) use deliveries::deliveries;
pub(crate) use list::{ListCursor, ListFilter, list};
pub(crate) use object::{outcome_data, run_json};
pub(crate) use reply::{reply, stop};
pub(crate) use screenshot::screenshot;
pub(crate) use wait::get;
