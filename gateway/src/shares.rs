//! What one account holds at once, so that it leaves places to the others.

use errand_domain::AccountId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Places by account, so many for each.
#[derive(Debug)]
pub(crate) struct Shares {
    each_max: usize,
    held: Mutex<HashMap<AccountId, usize>>,
}

/// A place; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    shares: Arc<Shares>,
    account: AccountId,
}

impl Shares {
    pub(crate) fn new(each_max: usize) -> Arc<Self> {
        Arc::new(Self { each_max, held: Mutex::default() })
    }

    pub(crate) fn each_max(&self) -> usize {
        self.each_max
    }

    /// `None` when the account holds all of its own.
    pub(crate) fn take(self: &Arc<Self>, account: &AccountId) -> Option<Share> {
        let mut held = self.held();
        let count = held.entry(account.clone()).or_default();
        if *count >= self.each_max {
            return None;
        }
        *count += 1;
        Some(Share { shares: Arc::clone(self), account: account.clone() })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<AccountId, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.shares.held();
        if let Some(count) = held.get_mut(&self.account) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_holds_its_share_and_no_more_and_leaves_nothing_behind() {
        let shares = Shares::new(2);
        let [ada, bob] = ["ada", "bob"].map(|name| AccountId::parse(name).unwrap());
        let first = shares.take(&ada).unwrap();
        let second = shares.take(&ada).unwrap();
        assert!(shares.take(&ada).is_none());
        assert!(shares.take(&bob).is_some());
        drop(first);
        assert!(shares.take(&ada).is_some());
        drop(second);
        assert!(shares.held().is_empty());
    }
}
