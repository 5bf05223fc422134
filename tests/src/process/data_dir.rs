//! The folders of one test.

use std::fs;
use std::io;
use std::path::PathBuf;

use tempfile::TempDir;

/// A data folder of one test, with a folder for logs beside it; both go when it is dropped.
#[derive(Debug)]
pub struct DataDir {
    root: TempDir,
}

impl DataDir {
    /// Makes the folders.
    ///
    /// # Errors
    /// When the system's temporary folder cannot be written.
    pub fn new() -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("errand-test-").tempdir()?;
        fs::create_dir(root.path().join("data"))?;
        fs::create_dir(root.path().join("logs"))?;
        Ok(Self { root })
    }

    /// For `ERRAND_DATA_DIR`.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    /// For the output of child processes.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.root.path().join("logs")
    }

    /// For whatever else a test needs a file for.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Keeps the folders when dropped and says where they are, for looking at a failure.
    #[must_use]
    pub fn keep(self) -> PathBuf {
        self.root.keep()
    }
}
