//! Appending, reading and purging.

use bytes::Bytes;
use errand_domain::CommitId;
use errand_domain::limits::COMMIT_BYTES_MAX;
use errand_store::{AppendError, Entry, EventLog, LogError, LogKey, Position, Record, Stores, TailFrom};
use futures::StreamExt;
use futures::future::join_all;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::under_test::{entry, on_every_log, run, run_id};

on_every_log!(
    a_log_that_was_never_written_is_empty,
    an_append_must_expect_the_last_record,
    the_two_logs_of_a_run_are_apart,
    a_read_gives_what_comes_after_a_position_in_order,
    a_long_log_is_read_whole,
    positions_rise_across_the_logs_of_a_partition,
    the_largest_commit_is_stored_whole_and_a_larger_one_refused,
    of_many_writers_that_expect_the_same_record_one_wins,
    a_purge_leaves_the_last_record_and_those_after,
    a_purged_log_cannot_be_started_again,
    a_partition_that_does_not_exist_cannot_be_followed,
);

async fn append_many(log: &dyn EventLog, key: &LogKey, count: u64) -> Vec<Position> {
    let mut positions = Vec::new();
    for number in 0..count {
        positions.push(log.append(key, positions.last().copied(), entry(number)).await.unwrap());
    }
    positions
}

fn positions(records: &[Record]) -> Vec<Position> {
    records.iter().map(|record| record.position).collect()
}

async fn a_log_that_was_never_written_is_empty(stores: &Stores) {
    assert!(stores.log.last(&run(1)).await.unwrap().is_none());
    assert!(stores.log.read(&run(1), None).await.unwrap().is_empty());
    stores.log.purge(&run(1), Position(7)).await.unwrap();
}

async fn an_append_must_expect_the_last_record(stores: &Stores) {
    let log = &stores.log;
    let conflict = |answer| assert!(matches!(answer, Err(AppendError::Conflict)), "{answer:?}");
    conflict(log.append(&run(1), Some(Position(1)), entry(1)).await);
    let first = log.append(&run(1), None, entry(2)).await.unwrap();
    conflict(log.append(&run(1), None, entry(3)).await);
    let second = log.append(&run(1), Some(first), entry(4)).await.unwrap();
    conflict(log.append(&run(1), Some(first), entry(5)).await);
    conflict(log.append(&run(1), Some(Position(second.0 + 1)), entry(6)).await);
    let records = log.read(&run(1), None).await.unwrap();
    assert_eq!(positions(&records), [first, second]);
    let last = log.last(&run(1)).await.unwrap().unwrap();
    assert_eq!((last.position, &last.payload[..]), (second, &b"4"[..]));
}

async fn the_two_logs_of_a_run_are_apart(stores: &Stores) {
    let (events, deliveries) = (run(1), LogKey::delivery(&run_id(1)));
    let first = stores.log.append(&events, None, entry(1)).await.unwrap();
    let other = stores.log.append(&deliveries, None, entry(2)).await.unwrap();
    assert!(other > first, "both lie in one partition");
    assert_eq!(positions(&stores.log.read(&events, None).await.unwrap()), [first]);
    assert_eq!(positions(&stores.log.read(&deliveries, None).await.unwrap()), [other]);
}

async fn a_read_gives_what_comes_after_a_position_in_order(stores: &Stores) {
    let appended = append_many(&*stores.log, &run(1), 12).await;
    append_many(&*stores.log, &run(2), 3).await;
    for (index, position) in appended.iter().enumerate() {
        let records = stores.log.read(&run(1), Some(*position)).await.unwrap();
        assert_eq!(positions(&records), appended[index + 1..]);
        assert!(records.iter().all(|record| record.key == run(1)));
    }
    let beyond = Position(appended[11].0 + 100);
    assert!(stores.log.read(&run(1), Some(beyond)).await.unwrap().is_empty());
    let all = stores.log.read(&run(1), None).await.unwrap();
    let numbers: Vec<String> = (0..12).map(|number| number.to_string()).collect();
    assert!(all.iter().map(|record| &record.payload[..]).eq(numbers.iter().map(String::as_bytes)));
}

async fn a_long_log_is_read_whole(stores: &Stores) {
    let appended = append_many(&*stores.log, &run(1), 600).await;
    assert_eq!(positions(&stores.log.read(&run(1), None).await.unwrap()), appended);
    assert_eq!(positions(&stores.log.read(&run(1), Some(appended[99])).await.unwrap()), appended[100..]);
}

async fn positions_rise_across_the_logs_of_a_partition(stores: &Stores) {
    let mut last = vec![Position(0); stores.log.partitions() as usize];
    for number in 0..40 {
        let key = run(number);
        let position = stores.log.append(&key, None, entry(number)).await.unwrap();
        let newest = &mut last[key.partition(stores.log.partitions()) as usize];
        assert!(position > *newest);
        *newest = position;
    }
    assert!(last.iter().all(|position| position.0 > 0), "some partition got no run at all");
}

async fn the_largest_commit_is_stored_whole_and_a_larger_one_refused(stores: &Stores) {
    let largest: Vec<u8> = (0..COMMIT_BYTES_MAX).map(|index| (index % 251) as u8).collect();
    let largest = Bytes::from(largest);
    let fits = Entry { commit_id: CommitId(1), payload: largest.clone() };
    let position = stores.log.append(&run(1), None, fits).await.unwrap();
    let too_large = Entry { commit_id: CommitId(2), payload: Bytes::from(vec![1; COMMIT_BYTES_MAX + 1]) };
    let answer = stores.log.append(&run(1), Some(position), too_large).await;
    assert!(matches!(answer, Err(AppendError::TooLarge { .. })), "{answer:?}");
    assert_eq!(stores.log.last(&run(1)).await.unwrap().unwrap().payload, largest);
    assert_eq!(stores.log.read(&run(1), None).await.unwrap()[0].payload, largest);
}

async fn of_many_writers_that_expect_the_same_record_one_wins(stores: &Stores) {
    let (writers, rounds) = (100, 10);
    let mut head = None;
    for round in 0..rounds {
        let tries = (0..writers).map(|writer| {
            let log = Arc::clone(&stores.log);
            let number = round * writers + writer;
            tokio::spawn(async move { log.append(&run(1), head, entry(number)).await })
        });
        let answers: Vec<_> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
        let is_conflict = |answer: &&Result<_, _>| matches!(answer, Err(AppendError::Conflict));
        assert_eq!(answers.iter().filter(is_conflict).count() as u64, writers - 1);
        head = answers.into_iter().find_map(Result::ok);
        assert!(head.is_some());
    }
    let records = stores.log.read(&run(1), None).await.unwrap();
    let payloads: BTreeSet<Bytes> = records.iter().map(|record| record.payload.clone()).collect();
    assert_eq!((records.len() as u64, payloads.len() as u64), (rounds, rounds));
}

async fn a_purge_leaves_the_last_record_and_those_after(stores: &Stores) {
    let log = &stores.log;
    let appended = append_many(&**log, &run(1), 10).await;
    let other = append_many(&**log, &run(2), 2).await;
    let mut followed = log.tail(run(1).partition(log.partitions()), TailFrom::Now).await.unwrap();
    log.purge(&run(1), appended[7]).await.unwrap();
    assert_eq!(positions(&log.read(&run(1), None).await.unwrap()), appended[7..]);
    let next = log.append(&run(1), Some(appended[9]), entry(10)).await.unwrap();
    assert_eq!(followed.next().await.unwrap().unwrap().position, next, "the purge ended a tail");
    // A position after the last record's must not take that record too.
    log.purge(&run(1), Position(next.0 + 5)).await.unwrap();
    assert_eq!(positions(&log.read(&run(1), None).await.unwrap()), [next]);
    assert_eq!(positions(&log.read(&run(2), None).await.unwrap()), other, "another log lost records");
    let from_start = log.tail(run(1).partition(log.partitions()), TailFrom::Start).await.unwrap();
    let left: Vec<Record> = from_start
        .map(Result::unwrap)
        .filter(|record| {
            let is_ours = record.key == run(1);
            async move { is_ours }
        })
        .take(1)
        .collect()
        .await;
    assert_eq!(positions(&left), [next]);
}

async fn a_purged_log_cannot_be_started_again(stores: &Stores) {
    let appended = append_many(&*stores.log, &run(1), 3).await;
    stores.log.purge(&run(1), appended[2]).await.unwrap();
    let answer = stores.log.append(&run(1), None, entry(9)).await;
    assert!(matches!(answer, Err(AppendError::Conflict)), "{answer:?}");
}

async fn a_partition_that_does_not_exist_cannot_be_followed(stores: &Stores) {
    let answer = stores.log.tail(stores.log.partitions(), TailFrom::Start).await;
    assert!(matches!(answer.err(), Some(LogError::Unusable { .. })));
}
