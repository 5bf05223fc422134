//! Following a partition while others append to it.

use errand_store::{LogKey, Position, Record, Stores, TailFrom, TailStream};
use futures::StreamExt;
use futures::future::join_all;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::under_test::{entry, on_every_log, run};

on_every_log!(
    a_tail_from_the_start_sees_every_record_once_in_order,
    a_tail_after_a_position_sees_what_comes_after_it,
    a_tail_from_now_sees_only_what_is_appended_later,
    a_slow_tail_misses_nothing,
);

/// Runs of partition 0.
fn runs_of_partition_0(stores: &Stores, count: usize) -> Vec<LogKey> {
    let partitions = stores.log.partitions();
    (0..).map(run).filter(|key| key.partition(partitions) == 0).take(count).collect()
}

/// Appends to each of some runs, all at once; gives all records' positions, sorted.
async fn append_to_all(stores: &Stores, keys: &[LogKey], count: u64) -> Vec<Position> {
    let writers = keys.iter().cloned().map(|key| {
        let log = Arc::clone(&stores.log);
        tokio::spawn(async move {
            let mut positions: Vec<Position> = Vec::new();
            for number in 0..count {
                let head = positions.last().copied();
                positions.push(log.append(&key, head, entry(number)).await.unwrap());
            }
            positions
        })
    });
    let mut positions: Vec<Position> = join_all(writers).await.into_iter().flat_map(Result::unwrap).collect();
    positions.sort_unstable();
    positions
}

async fn take(tail: TailStream, count: usize) -> Vec<Record> {
    tail.map(Result::unwrap).take(count).collect().await
}

async fn a_tail_from_the_start_sees_every_record_once_in_order(stores: &Stores) {
    let keys = runs_of_partition_0(stores, 8);
    let before = append_to_all(stores, &keys[..4], 25).await;
    let tail = stores.log.tail(0, TailFrom::Start).await.unwrap();
    let followed = tokio::spawn(take(tail, 200));
    let after = append_to_all(stores, &keys[4..], 25).await;
    let records = followed.await.unwrap();
    let seen: Vec<Position> = records.iter().map(|record| record.position).collect();
    assert_eq!(seen, [before, after].concat());
    let mut next_numbers: BTreeMap<LogKey, u64> = BTreeMap::new();
    for record in records {
        let number = next_numbers.entry(record.key).or_default();
        assert_eq!(&record.payload[..], number.to_string().as_bytes());
        *number += 1;
    }
}

async fn a_tail_after_a_position_sees_what_comes_after_it(stores: &Stores) {
    let keys = runs_of_partition_0(stores, 4);
    let before = append_to_all(stores, &keys[..2], 20).await;
    let tail = stores.log.tail(0, TailFrom::After(before[9])).await.unwrap();
    let followed = tokio::spawn(take(tail, 70));
    let after = append_to_all(stores, &keys[2..], 20).await;
    let seen: Vec<Position> = followed.await.unwrap().iter().map(|record| record.position).collect();
    assert_eq!(seen, [before[10..].to_vec(), after].concat());
}

async fn a_tail_from_now_sees_only_what_is_appended_later(stores: &Stores) {
    let keys = runs_of_partition_0(stores, 4);
    append_to_all(stores, &keys[..2], 20).await;
    let tail = stores.log.tail(0, TailFrom::Now).await.unwrap();
    let after = append_to_all(stores, &keys[2..], 20).await;
    let seen: Vec<Position> = take(tail, 40).await.iter().map(|record| record.position).collect();
    assert_eq!(seen, after);
}

async fn a_slow_tail_misses_nothing(stores: &Stores) {
    let keys = runs_of_partition_0(stores, 30);
    let tail = stores.log.tail(0, TailFrom::Start).await.unwrap();
    // More than any buffer on the way holds, before the first one is taken.
    let appended = append_to_all(stores, &keys, 100).await;
    let seen: Vec<Position> = take(tail, 3_000).await.iter().map(|record| record.position).collect();
    assert_eq!(seen, appended);
}
