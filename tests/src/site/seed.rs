//! Everything that varies by seed is drawn here, per named part, so that one part's draws never shift another's.

use rand::SeedableRng;
use rand::rngs::StdRng;
use sha2::{Digest, Sha256};

/// A generator for one named part of the site.
pub fn generator(seed: u64, part: &str) -> StdRng {
    StdRng::from_seed(digest(seed, part, 0))
}

/// A hex name of `length` characters (at most 64) for the `count`-th thing of a kind: sessions, tokens, keys.
pub fn name(seed: u64, kind: &str, count: u64, length: usize) -> String {
    let mut name = hex::encode(digest(seed, kind, count));
    name.truncate(length);
    name
}

/// A number of six digits, not starting with zero, for the `count`-th thing of a kind.
pub fn six_digits(seed: u64, kind: &str, count: u64) -> u32 {
    let bytes = digest(seed, kind, count);
    let drawn = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    100_000 + drawn % 900_000
}

fn digest(seed: u64, part: &str, count: u64) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(seed.to_be_bytes());
    hasher.update(count.to_be_bytes());
    hasher.update(part.as_bytes());
    hasher.finalize().into()
}
