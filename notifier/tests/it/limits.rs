use errand_domain::delivery::DeliveryOutcome;
use errand_notifier::NotifierConfig;
use errand_tests::receiver::{Behaviour, Hook, Receiver};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::world::{DEADLINE, World};

/// How long a counting receiver takes for each POST.
const BUSY: Duration = Duration::from_millis(400);

/// Counts the POSTs that are being answered; gives the most at a time.
fn counting_hook() -> (Hook, Arc<AtomicUsize>) {
    let (current, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&most);
    let hook: Hook = Arc::new(move |_| {
        let (current, most) = (Arc::clone(&current), Arc::clone(&most));
        Box::pin(async move {
            most.fetch_max(current.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(BUSY).await;
            current.fetch_sub(1, Ordering::SeqCst);
        })
    });
    (hook, counted)
}

#[tokio::test]
async fn one_host_gets_only_its_part_of_the_exchanges() {
    let world = World::with_partitions(2);
    let (hook, most) = counting_hook();
    let busy = Receiver::start_with_hook(&world.ca, Behaviour::Ok200, hook).await;
    let config = NotifierConfig { exchanges_per_host_max: 2, ..world.config() };
    let _notifier = world.start_with(config, world.stores.clone());
    let mut run_ids = Vec::new();
    for _ in 0..7 {
        run_ids.push(world.create_finished(&busy.url()).await);
    }
    let other = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let other_run = world.create_finished(&other.url_by_name()).await;
    busy.wait_for_posts(1, DEADLINE).await.unwrap();
    let since = Instant::now();
    world.outcomes(&other_run, 1).await;
    assert!(since.elapsed() < 2 * BUSY, "the other host waited {:?}", since.elapsed());
    for run_id in &run_ids {
        assert_eq!(world.outcomes(run_id, 1).await, [DeliveryOutcome::Delivered { status: 200 }]);
    }
    assert_eq!((busy.posts().len(), most.load(Ordering::SeqCst)), (7, 2));
}

#[tokio::test]
async fn all_partitions_together_keep_the_limit_of_exchanges() {
    let world = World::with_partitions(4);
    let (hook, most) = counting_hook();
    let receiver = Receiver::start_with_hook(&world.ca, Behaviour::Ok200, hook).await;
    let config = NotifierConfig { exchanges_max: 3, ..world.config() };
    let _notifier = world.start_with(config, world.stores.clone());
    for _ in 0..9 {
        world.create_finished(&receiver.url()).await;
    }
    receiver.wait_for_posts(9, DEADLINE).await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 3);
}
