use errand_domain::delivery::DeliveryOutcome;
use errand_store::memory::MemoryStore;
use errand_store::{RandomIds, Stores};
use errand_tests::receiver::{Behaviour, Receiver};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::world::{DEADLINE, World};

const DELIVERED: DeliveryOutcome = DeliveryOutcome::Delivered { status: 200 };

#[tokio::test]
async fn events_of_one_run_arrive_in_order_each_as_the_run_was_then() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Hang(Duration::from_millis(300))).await;
    let _notifier = world.start();
    let run_id = world.create(&receiver.url()).await;
    world.ask(&run_id, 1).await;
    world.reply(&run_id).await;
    world.ask(&run_id, 2).await;
    world.stop(&run_id).await;
    assert_eq!(world.outcomes(&run_id, 3).await, [DELIVERED, DELIVERED, DELIVERED]);

    let posts = receiver.posts();
    let told: Vec<_> = posts
        .iter()
        .map(|post| {
            let body = post.json().unwrap();
            (body["event"].clone(), body["run"]["status"].clone(), body["run"]["needs"]["pause"].clone())
        })
        .collect();
    let null = serde_json::Value::Null;
    let expected = [
        ("run.waiting".into(), "waiting_for_human".into(), 1.into()),
        ("run.waiting".into(), "waiting_for_human".into(), 2.into()),
        ("run.finished".into(), "stopped".into(), null),
    ];
    assert_eq!(told, expected);
    let one_after_the_other = posts.windows(2).all(|pair| pair[1].at - pair[0].at >= Duration::from_millis(300));
    assert!(one_after_the_other);
}

#[tokio::test]
async fn no_delivery_starts_within_a_second_of_the_runs_creation() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let before = Instant::now();
    world.create_finished(&receiver.url()).await;
    let posts = receiver.wait_for_posts(1, DEADLINE).await.unwrap();
    assert!(posts[0].at - before >= Duration::from_secs(1), "{:?}", posts[0].at - before);
}

#[tokio::test]
async fn a_slow_receiver_of_one_run_delays_no_other_run() {
    let world = World::new();
    let slow = Receiver::start(&world.ca, Behaviour::Hang(Duration::from_secs(60))).await;
    let quick = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    world.create_finished(&slow.url()).await;
    slow.wait_for_posts(1, DEADLINE).await.unwrap();
    let run_id = world.create_finished(&quick.url()).await;
    let before = Instant::now();
    assert_eq!(world.outcomes(&run_id, 1).await, [DELIVERED]);
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
}

/// Leases apart, so that both own every partition all the time.
#[tokio::test]
async fn two_notifiers_on_one_log_make_one_post_per_event() {
    let world = World::with_partitions(2);
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let elsewhere = MemoryStore::new(2).stores(Arc::clone(&world.clock) as _, Arc::new(RandomIds));
    let other = Stores { keyvalue: elsewhere.keyvalue, ..world.stores.clone() };
    let notifiers = [world.start(), world.start_with(world.config(), other)];
    let mut run_ids = Vec::new();
    for _ in 0..20 {
        let run_id = world.create(&receiver.url()).await;
        world.ask(&run_id, 1).await;
        world.stop(&run_id).await;
        run_ids.push(run_id);
    }
    for run_id in &run_ids {
        assert_eq!(world.outcomes(run_id, 2).await, [DELIVERED, DELIVERED]);
    }
    for notifier in notifiers {
        notifier.stop().await;
    }
    let mut ids: Vec<_> = receiver.posts().iter().map(|post| post.header("webhook-id").unwrap().to_owned()).collect();
    ids.sort();
    let mut expected: Vec<_> =
        run_ids.iter().flat_map(|run_id| [format!("{run_id}-3"), format!("{run_id}-4")]).collect();
    expected.sort();
    assert_eq!(ids, expected);
}
