//! Claims about the planner without a model, each on hand-made pages: what it does next, and how whole errands end.

mod anything;
mod browser;
mod errands;
mod forbidden;
mod forms;
mod guard;
mod once;
mod orders;
mod reading;
mod risks;
mod site;
