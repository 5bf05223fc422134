//! The jetstream form of the stores.
