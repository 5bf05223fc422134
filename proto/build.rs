//! Compiles the `.proto` files to Rust, without a `protoc` on the machine.

use std::error::Error;

/// The file that imports all others of its version.
const LOG_V1: &str = "proto/errand/log/v1/commit.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile([LOG_V1], ["proto"])?;
    // Sorted maps: the same commit is always the same bytes.
    prost_build::Config::new().btree_map(["."]).compile_fds(files)?;
    Ok(())
}
