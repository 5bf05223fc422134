//! Signals.

use bytes::Bytes;
use errand_store::Stores;
use errand_store::limits::SIGNAL_BUFFER;
use futures::StreamExt;

use crate::under_test::on_every_store;

on_every_store!(
    a_signal_reaches_every_subscriber_of_its_subject,
    a_signal_that_nobody_awaits_is_gone,
    a_slow_subscriber_misses_the_oldest,
);

fn payload(number: usize) -> Bytes {
    Bytes::from(number.to_string())
}

async fn a_signal_reaches_every_subscriber_of_its_subject(stores: &Stores) {
    let mut first = stores.signals.subscribe("beats.0").await.unwrap();
    let mut second = stores.signals.subscribe("beats.0").await.unwrap();
    let mut other = stores.signals.subscribe("beats.1").await.unwrap();
    stores.signals.publish("beats.0", payload(1)).await.unwrap();
    stores.signals.publish("beats.1", payload(2)).await.unwrap();
    assert_eq!(first.next().await.unwrap(), payload(1));
    assert_eq!(second.next().await.unwrap(), payload(1));
    assert_eq!(other.next().await.unwrap(), payload(2));
}

async fn a_signal_that_nobody_awaits_is_gone(stores: &Stores) {
    stores.signals.publish("beats.0", payload(1)).await.unwrap();
    drop(stores.signals.subscribe("beats.0").await.unwrap());
    stores.signals.publish("beats.0", payload(2)).await.unwrap();
    let mut late = stores.signals.subscribe("beats.0").await.unwrap();
    stores.signals.publish("beats.0", payload(3)).await.unwrap();
    assert_eq!(late.next().await.unwrap(), payload(3));
}

async fn a_slow_subscriber_misses_the_oldest(stores: &Stores) {
    let slow = stores.signals.subscribe("frames").await.unwrap();
    let missed = 44;
    for number in 0..SIGNAL_BUFFER + missed {
        stores.signals.publish("frames", payload(number)).await.unwrap();
    }
    let seen: Vec<Bytes> = slow.take(SIGNAL_BUFFER).collect().await;
    let newest: Vec<Bytes> = (missed..SIGNAL_BUFFER + missed).map(payload).collect();
    assert_eq!(seen, newest);
}
