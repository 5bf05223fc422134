//! Decoding undoes encoding, and no bytes make it panic.

use errand_proto::{decode_delivery_commit, decode_run_commit, encode_delivery_commit, encode_run_commit};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::arbitrary;

proptest! {
    #[test]
    fn decoding_a_run_commit_undoes_encoding(commit in arbitrary::run_commits()) {
        prop_assert_eq!(decode_run_commit(&encode_run_commit(&commit)).unwrap(), commit);
    }

    #[test]
    fn decoding_a_delivery_commit_undoes_encoding(commit in arbitrary::delivery_commits()) {
        prop_assert_eq!(decode_delivery_commit(&encode_delivery_commit(&commit)).unwrap(), commit);
    }

    #[test]
    fn a_commit_cut_short_is_never_taken_for_another(
        commit in arbitrary::run_commits(),
        kept in any::<prop::sample::Index>(),
    ) {
        let bytes = encode_run_commit(&commit);
        let kept = &bytes[..kept.index(bytes.len())];
        // A cut between two events leaves a shorter commit; it must be a prefix of what was written.
        if let Ok(shorter) = decode_run_commit(kept) {
            prop_assert!(shorter.events.len() < commit.events.len());
            prop_assert_eq!(&shorter.events[..], &commit.events[..shorter.events.len()]);
        }
    }

    #[test]
    fn no_bytes_make_decoding_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = decode_run_commit(&bytes);
        let _ = decode_delivery_commit(&bytes);
    }
}
