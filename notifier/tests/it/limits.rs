use errand_domain::delivery::DeliveryOutcome;
use errand_notifier::NotifierConfig;
use errand_tests::receiver::{Behaviour, Hook, Receiver};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::Semaphore;

use super::world::{DEADLINE, World};

/// How long a counting receiver takes for each POST at least, so that several overlap.
const BUSY: Duration = Duration::from_millis(200);
/// The POSTs of the first test to the busy host.
const POSTS: usize = 7;

/// Counts the POSTs that are being answered; gives the most at a time. Each answer takes a permit of the gate.
fn counting_hook(gate: &Arc<Semaphore>) -> (Hook, Arc<AtomicUsize>) {
    let gate = Arc::clone(gate);
    let (current, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&most);
    let hook: Hook = Arc::new(move |_| {
        let (current, most, gate) = (Arc::clone(&current), Arc::clone(&most), Arc::clone(&gate));
        Box::pin(async move {
            most.fetch_max(current.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(BUSY).await;
            gate.acquire().await.expect("the gate is never closed").forget();
            current.fetch_sub(1, Ordering::SeqCst);
        })
    });
    (hook, counted)
}

#[tokio::test]
async fn one_host_gets_only_its_part_of_the_exchanges() {
    let world = World::with_partitions(2);
    let gate = Arc::new(Semaphore::new(0));
    let (hook, most) = counting_hook(&gate);
    let busy = Receiver::start_with_hook(&world.ca, Behaviour::Ok200, hook).await;
    let config = NotifierConfig { exchanges_per_host_max: 2, ..world.config() };
    let _notifier = world.start_with(config, world.stores.clone());
    let mut run_ids = Vec::new();
    for _ in 0..POSTS {
        run_ids.push(world.create_finished(&busy.url()).await);
    }
    let other = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let other_run = world.create_finished(&other.url_by_name()).await;
    busy.wait_for_posts(2, DEADLINE).await.unwrap();
    // The busy host answers nothing yet: whoever waited for it would wait here for ever.
    world.outcomes(&other_run, 1).await;
    gate.add_permits(POSTS);
    for run_id in &run_ids {
        assert_eq!(world.outcomes(run_id, 1).await, [DeliveryOutcome::Delivered { status: 200 }]);
    }
    assert_eq!((busy.posts().len(), most.load(Ordering::SeqCst)), (POSTS, 2));
}

#[tokio::test]
async fn all_partitions_together_keep_the_limit_of_exchanges() {
    let world = World::with_partitions(4);
    let gate = Arc::new(Semaphore::new(0));
    let (hook, most) = counting_hook(&gate);
    let receiver = Receiver::start_with_hook(&world.ca, Behaviour::Ok200, hook).await;
    let config = NotifierConfig { exchanges_max: 3, ..world.config() };
    let _notifier = world.start_with(config, world.stores.clone());
    for _ in 0..9 {
        world.create_finished(&receiver.url()).await;
    }
    // Nothing is answered until three are asked at once; a fourth could come only beside them.
    receiver.wait_for_posts(3, DEADLINE).await.unwrap();
    gate.add_permits(9);
    receiver.wait_for_posts(9, DEADLINE).await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 3);
}
