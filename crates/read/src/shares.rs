//! Places for reads: so many at once in all, and so many of them, and of the browsers, for one asker. Who an asker is, is
//! not known here: whoever asks under one name shares its places.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::limits::{ASKER_BROWSERS_MAX, READ_TOTAL_MAX};
use crate::reader::ReadError;

#[derive(Debug)]
pub(crate) struct Places {
    reads_max: usize,
    asker_reads_max: usize,
    all: Arc<Semaphore>,
    askers: Mutex<HashMap<Arc<str>, Asker>>,
}

#[derive(Debug)]
struct Asker {
    /// When each of its reads began, by their order.
    began: BTreeMap<u64, Instant>,
    next: u64,
    browsers: Arc<Semaphore>,
}

/// A read's place; free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    asker: Arc<str>,
    number: u64,
    browsers: Arc<Semaphore>,
    _among_all: OwnedSemaphorePermit,
}

impl Places {
    pub(crate) fn new(reads_max: usize, asker_reads_max: usize) -> Arc<Self> {
        let all = Arc::new(Semaphore::new(reads_max));
        Arc::new(Self { reads_max, asker_reads_max, all, askers: Mutex::default() })
    }

    pub(crate) fn reads_max(&self) -> usize {
        self.reads_max
    }

    pub(crate) fn asker_reads_max(&self) -> usize {
        self.asker_reads_max
    }

    /// # Errors
    /// When the asker, or all askers together, hold all they may.
    pub(crate) fn take(self: &Arc<Self>, asker: &str) -> Result<Place, ReadError> {
        let mut askers = self.askers();
        let held = askers.get(asker).map_or(0, |asker| asker.began.len());
        if held >= self.asker_reads_max {
            let frees_in = askers.get(asker).map_or(READ_TOTAL_MAX, Asker::frees_in);
            return Err(ReadError::AskerBusy { max: self.asker_reads_max, frees_in });
        }
        let busy = |_| ReadError::Busy { max: self.reads_max };
        let among_all = Arc::clone(&self.all).try_acquire_owned().map_err(busy)?;
        let name: Arc<str> = Arc::from(asker);
        let asker = askers.entry(Arc::clone(&name)).or_insert_with(Asker::new);
        let number = asker.next;
        asker.next += 1;
        asker.began.insert(number, Instant::now());
        let browsers = Arc::clone(&asker.browsers);
        Ok(Place { places: Arc::clone(self), asker: name, number, browsers, _among_all: among_all })
    }

    fn askers(&self) -> MutexGuard<'_, HashMap<Arc<str>, Asker>> {
        self.askers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asker {
    fn new() -> Self {
        Self { began: BTreeMap::new(), next: 0, browsers: Arc::new(Semaphore::new(ASKER_BROWSERS_MAX)) }
    }

    /// When its oldest read must have ended.
    fn frees_in(&self) -> Duration {
        let age = self.began.values().next().map(Instant::elapsed).unwrap_or_default();
        READ_TOTAL_MAX.saturating_sub(age)
    }
}

impl Place {
    /// Waits until the asker may have another browser.
    pub(crate) async fn browser_turn(&self) -> Option<OwnedSemaphorePermit> {
        // Never closed.
        Arc::clone(&self.browsers).acquire_owned().await.ok()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut askers = self.places.askers();
        if let Some(asker) = askers.get_mut(&self.asker) {
            asker.began.remove(&self.number);
            if asker.began.is_empty() {
                askers.remove(&self.asker);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_asker_leaves_places_to_others_and_is_told_when_to_come_again() {
        let places = Places::new(3, 2);
        let first = places.take("ada").unwrap();
        tokio::time::advance(Duration::from_secs(20)).await;
        let _second = places.take("ada").unwrap();
        let Err(ReadError::AskerBusy { max: 2, frees_in }) = places.take("ada") else { panic!("ada got a third") };
        assert_eq!(frees_in, READ_TOTAL_MAX - Duration::from_secs(20));
        let bob = places.take("bob").unwrap();
        assert!(matches!(places.take("eve"), Err(ReadError::Busy { max: 3 })));
        drop(first);
        let third = places.take("ada").unwrap();
        drop((third, bob));
        assert_eq!(places.askers().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn one_askers_browsers_leave_a_turn_to_others() {
        let places = Places::new(4, 4);
        let [first, second, third] = std::array::from_fn(|_| places.take("ada").unwrap());
        let _held = (first.browser_turn().await, second.browser_turn().await);
        let waits = tokio::time::timeout(READ_TOTAL_MAX, third.browser_turn()).await;
        assert!(waits.is_err(), "ada got a third browser");
        let bob = places.take("bob").unwrap();
        assert!(bob.browser_turn().await.is_some());
    }
}
