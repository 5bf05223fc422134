//! How many exchanges go on with each host, so that one that hangs takes only its part of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Slots per host, shared by the partitions of a process. Clones share them.
#[derive(Debug, Clone)]
pub struct HostSlots {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    per_host_max: usize,
    used: Mutex<BTreeMap<String, usize>>,
    released: watch::Sender<u64>,
}

impl Shared {
    fn used(&self) -> MutexGuard<'_, BTreeMap<String, usize>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One exchange's slot; dropping it gives it back.
#[derive(Debug)]
pub struct HostSlot {
    shared: Arc<Shared>,
    host: String,
}

impl HostSlots {
    /// No slots count as one.
    #[must_use]
    pub fn new(per_host_max: usize) -> Self {
        let per_host_max = per_host_max.max(1);
        Self { shared: Arc::new(Shared { per_host_max, used: Mutex::default(), released: watch::Sender::new(0) }) }
    }

    /// A slot, if one is free.
    #[must_use]
    pub fn take(&self, host: &str) -> Option<HostSlot> {
        let mut used = self.shared.used();
        let count = used.entry(host.to_owned()).or_default();
        if *count >= self.shared.per_host_max {
            return None;
        }
        *count += 1;
        Some(HostSlot { shared: Arc::clone(&self.shared), host: host.to_owned() })
    }

    /// How many slots are free.
    #[must_use]
    pub fn free(&self, host: &str) -> usize {
        let used = self.shared.used().get(host).copied().unwrap_or_default();
        self.shared.per_host_max.saturating_sub(used)
    }

    /// Changes whenever a slot was given back.
    #[must_use]
    pub fn releases(&self) -> watch::Receiver<u64> {
        self.shared.released.subscribe()
    }
}

impl Drop for HostSlot {
    fn drop(&mut self) {
        let mut used = self.shared.used();
        if let Some(count) = used.get_mut(&self.host) {
            *count -= 1;
            if *count == 0 {
                used.remove(&self.host);
            }
        }
        drop(used);
        self.shared.released.send_modify(|count| *count = count.wrapping_add(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_without_a_free_slot_holds_back_no_other() {
        let slots = HostSlots::new(2);
        let _first = slots.take("a").unwrap();
        let second = slots.take("a").unwrap();
        assert!(slots.take("a").is_none());
        assert!(slots.take("b").is_some());
        let mut releases = slots.releases();
        releases.mark_unchanged();
        drop(second);
        assert!(releases.has_changed().unwrap());
        assert_eq!(slots.free("a"), 1);
        assert!(slots.take("a").is_some());
    }
}
