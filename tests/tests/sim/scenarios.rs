//! Named situations, each with the claim that it is about.
