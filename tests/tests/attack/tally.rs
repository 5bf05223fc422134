//! How much of a kind is tried, and the line that says what came of it.

/// What `make attack` sets, to try everything.
const VARIABLE: &str = "ERRAND_ATTACK";

/// How many tries: `fixed` in every test run, `full` under `make attack`.
pub fn tries(fixed: usize, full: usize) -> usize {
    if std::env::var(VARIABLE).is_ok_and(|value| value == "full") { full } else { fixed }
}

/// The variants of one kind that were tried, and those that did not hold.
#[derive(Debug)]
pub struct Tally {
    kind: &'static str,
    tried: usize,
    broken: Vec<String>,
}

impl Tally {
    pub fn new(kind: &'static str) -> Self {
        Self { kind, tried: 0, broken: Vec::new() }
    }

    /// Counts one variant; `fault` says what went wrong, if anything did.
    pub fn add(&mut self, variant: &str, fault: Option<String>) {
        self.tried += 1;
        if let Some(fault) = fault {
            self.broken.push(format!("{variant}: {fault}"));
        }
    }

    /// Prints the kind's line and fails when a variant did not hold.
    pub fn end(self) {
        let held = self.tried - self.broken.len();
        println!("attack {}: {held} of {} held", self.kind, self.tried);
        assert!(self.tried > 0, "{}: nothing was tried", self.kind);
        assert!(self.broken.is_empty(), "{}: {:#?}", self.kind, self.broken);
    }
}
