//! errand-notifier
