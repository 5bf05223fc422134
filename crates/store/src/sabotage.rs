//! Safeguards that can be broken on purpose, to prove that a test notices (`make sabotage`). Debug builds only.

/// A safeguard to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// The log appends whatever record the writer expects to be the last.
    DropExpected,
    /// The embedded store acknowledges before its data is on disk.
    SkipFlush,
    /// The embedded store opens whatever is there, however far it had got.
    NoMark,
    /// The embedded store takes what it reads for what was written.
    NoChecksum,
    /// The notifier sends before its claim is stored.
    ClaimAfterSend,
    /// The notifier sends again what may have been sent.
    ResendInDoubt,
    /// The browser lets everything go that its pages send.
    GuardOff,
    /// A committing request leaves over whatever connection there is.
    ReuseConnections,
}

/// Names the safeguard to break: `drop_expected`, `skip_flush`, `no_mark`, `no_checksum`, `claim_after_send`,
/// `resend_in_doubt`, `guard_off` or `reuse_connections`.
pub const SABOTAGE_VARIABLE: &str = "ERRAND_SABOTAGE";

impl Sabotage {
    /// What the environment asks for; always `None` in a release build, and for a name that is none of ours.
    #[must_use]
    pub fn from_env() -> Option<Self> {
        if !cfg!(debug_assertions) {
            return None;
        }
        match std::env::var(SABOTAGE_VARIABLE).ok()?.as_str() {
            "drop_expected" => Some(Self::DropExpected),
            "skip_flush" => Some(Self::SkipFlush),
            "no_mark" => Some(Self::NoMark),
            "no_checksum" => Some(Self::NoChecksum),
            "claim_after_send" => Some(Self::ClaimAfterSend),
            "resend_in_doubt" => Some(Self::ResendInDoubt),
            "guard_off" => Some(Self::GuardOff),
            "reuse_connections" => Some(Self::ReuseConnections),
            _ => None,
        }
    }
}
