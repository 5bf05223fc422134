//! The REST edge: routes, extractors, and how faults become answers.

mod answer;
mod auth;
mod body;
mod calls;
mod connection;
mod edge;
mod health;
mod json;
mod leftover;
mod path;
mod query;
mod room;
mod routes;
mod server;
mod streams;

pub(crate) use answer::Page;
pub(crate) use auth::{Caller, StreamCaller};
pub(crate) use query::Query;
#[cfg(test)]
pub(crate) use routes::api_routes;
pub(crate) use routes::routers;
pub(crate) use server::Server;
