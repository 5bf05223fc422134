//! The browser's throw-away profile folder. It is locked while its browser lives, so that the folders of killed workers
//! are recognised and removed by the next one.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PREFIX: &str = "errand-chromium-";
const LOCK_NAME: &str = "errand.lock";
const UNLOCKED_NAME: &str = "errand.lock.new";
/// A folder without a lock may have been made this moment by another worker.
const LOCKING_TIME_MAX: Duration = Duration::from_secs(60);
/// Processes that outlive the kill by some milliseconds may still write into the profile.
const REMOVALS_MAX: u32 = 20;
const REMOVAL_PAUSE: Duration = Duration::from_millis(10);

/// A profile folder; dropping it removes it.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
    /// Held until the folder is gone.
    _lock: File,
}

impl Profile {
    /// Removes what killed workers left, then makes and locks a new folder. Blocks on the file system.
    pub(crate) fn make(parent: Option<&Path>) -> io::Result<Self> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
        remove_abandoned(&parent);
        let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?.keep();
        let unlocked = path.join(UNLOCKED_NAME);
        let lock = File::create(&unlocked)?;
        lock.lock()?;
        // Only a locked file gets the name: another worker would take the folder for abandoned.
        std::fs::rename(unlocked, path.join(LOCK_NAME))?;
        Ok(Self { path, _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Profile {
    /// Tries again while dying processes still write into the folder.
    fn drop(&mut self) {
        for _ in 0..REMOVALS_MAX {
            match std::fs::remove_dir_all(&self.path) {
                Ok(()) => return,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return,
                Err(_busy) => std::thread::sleep(REMOVAL_PAUSE),
            }
        }
        tracing::warn!(path = %self.path.display(), "browser profile not removed");
    }
}

fn remove_abandoned(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_profile = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if is_profile && is_abandoned(&entry.path()) {
            tracing::info!(path = %entry.path().display(), "abandoned browser profile removed");
            // Another worker may be removing it too.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(profile: &Path) -> bool {
    match File::open(profile.join(LOCK_NAME)) {
        Ok(lock) => lock.try_lock().is_ok() && lock.unlock().is_ok(),
        Err(_no_lock) => {
            let made = profile.metadata().and_then(|metadata| metadata.modified()).ok();
            made.and_then(|made| made.elapsed().ok()).is_some_and(|age| age > LOCKING_TIME_MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_profile_is_removed_and_a_live_one_is_kept() {
        let parent = tempfile::tempdir().unwrap();
        let live = Profile::make(Some(parent.path())).unwrap();
        let abandoned = parent.path().join(format!("{PREFIX}abandoned"));
        std::fs::create_dir(&abandoned).unwrap();
        File::create(abandoned.join(LOCK_NAME)).unwrap();
        let other = parent.path().join("somebody-elses");
        std::fs::create_dir(&other).unwrap();
        let next = Profile::make(Some(parent.path())).unwrap();
        assert!(live.path().exists() && next.path().exists() && other.exists() && !abandoned.exists());
        let path = live.path().to_owned();
        drop(live);
        assert!(!path.exists());
    }

    #[test]
    fn profiles_made_at_the_same_time_keep_their_folders() {
        let parent = tempfile::tempdir().unwrap();
        let make_many = || {
            for _ in 0..500 {
                let profile = Profile::make(Some(parent.path())).unwrap();
                assert!(profile.path().join(LOCK_NAME).exists());
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(make_many);
            }
        });
    }

    #[test]
    fn folder_that_is_not_locked_yet_is_kept() {
        let parent = tempfile::tempdir().unwrap();
        let fresh = parent.path().join(format!("{PREFIX}fresh"));
        std::fs::create_dir(&fresh).unwrap();
        Profile::make(Some(parent.path())).unwrap();
        assert!(fresh.exists());
    }
}
