//! Work queues.

use bytes::Bytes;
use errand_domain::WorkerId;
use errand_store::{Job, QueueError, QueueName, Stores};
use futures::FutureExt;
use std::collections::BTreeSet;

use crate::under_test::on_every_store;

on_every_store!(
    jobs_come_in_order_and_wait_for_a_receiver,
    a_job_is_dropped_while_one_of_its_id_is_queued,
    each_job_goes_to_one_receiver,
    a_cancelled_wait_loses_no_job,
    a_job_for_a_worker_that_is_gone_is_refused,
);

fn shared() -> QueueName {
    QueueName("shared".to_owned())
}

fn job(number: u32) -> Job {
    Job { id: number.to_string(), payload: Bytes::from(number.to_string()) }
}

async fn jobs_come_in_order_and_wait_for_a_receiver(stores: &Stores) {
    for number in 0..5 {
        stores.queue.publish(&shared(), job(number)).await.unwrap();
    }
    assert_eq!(stores.queue.depth(&shared()).await.unwrap(), 5);
    let mut receiver = stores.queue.receive(&shared()).await.unwrap();
    for number in 0..5 {
        assert_eq!(receiver.next().await.unwrap().id, job(number).id);
    }
    assert_eq!(stores.queue.depth(&shared()).await.unwrap(), 0);
}

async fn a_job_is_dropped_while_one_of_its_id_is_queued(stores: &Stores) {
    for number in [1, 2, 1, 2] {
        stores.queue.publish(&shared(), job(number)).await.unwrap();
    }
    assert_eq!(stores.queue.depth(&shared()).await.unwrap(), 2);
    let mut receiver = stores.queue.receive(&shared()).await.unwrap();
    assert_eq!(receiver.next().await.unwrap().id, "1");
    // It is no longer queued, so it may be dispatched again.
    stores.queue.publish(&shared(), job(1)).await.unwrap();
    assert_eq!(receiver.next().await.unwrap().id, "2");
    assert_eq!(receiver.next().await.unwrap().id, "1");
}

async fn each_job_goes_to_one_receiver(stores: &Stores) {
    let (sender, mut received) = tokio::sync::mpsc::unbounded_channel();
    let mut receivers = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let mut receiver = stores.queue.receive(&shared()).await.unwrap();
        let sender = sender.clone();
        receivers.spawn(async move { while sender.send(receiver.next().await.unwrap().id).is_ok() {} });
    }
    for number in 0..200 {
        stores.queue.publish(&shared(), job(number)).await.unwrap();
    }
    let mut ids = BTreeSet::new();
    for _ in 0..200 {
        assert!(ids.insert(received.recv().await.unwrap()), "a job was received twice");
    }
    assert_eq!(stores.queue.depth(&shared()).await.unwrap(), 0);
}

async fn a_cancelled_wait_loses_no_job(stores: &Stores) {
    let mut first = stores.queue.receive(&shared()).await.unwrap();
    let mut second = stores.queue.receive(&shared()).await.unwrap();
    // The first one waits, is given notice, and gives up without looking.
    let mut wait = first.next();
    assert!((&mut wait).now_or_never().is_none());
    stores.queue.publish(&shared(), job(1)).await.unwrap();
    drop(wait);
    assert_eq!(second.next().await.unwrap().id, "1");
}

async fn a_job_for_a_worker_that_is_gone_is_refused(stores: &Stores) {
    let own = QueueName::of_worker(&WorkerId::parse("w1").unwrap());
    let refused = |answer| assert!(matches!(answer, Err(QueueError::NoReceiver)), "{answer:?}");
    refused(stores.queue.publish(&own, job(1)).await);
    let receiver = stores.queue.receive(&own).await.unwrap();
    stores.queue.publish(&own, job(1)).await.unwrap();
    drop(receiver);
    assert_eq!(stores.queue.depth(&own).await.unwrap(), 0);
    refused(stores.queue.publish(&own, job(2)).await);
}
