//! Reads one page without a model (SPEC §5): fetches it plainly, climbs to a browser when that page shows too little, and
//! keeps the page that fills the most properties. It knows nothing of runs, stores, or who asks.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test may fail loudly"))]

mod answer;
mod chromium;
mod climb;
mod encoding;
mod file;
pub mod limits;
mod reader;
mod schema;
mod shares;
mod tools;
mod weigh;

pub use answer::answer;
pub use chromium::Chromium;
pub use climb::{Attempt, Reading};
pub use errand_extract::SchemaError;
pub use file::{read_file, read_html};
pub use limits::PAGE_BYTES_MAX;
pub use reader::{Engine, ReadError, Reader};
pub use schema::ReadSchema;
pub use tools::{Browse, Page, Tool, ToolError};
