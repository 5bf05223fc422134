use errand_domain::delivery::DeliveryOutcome;
use errand_notifier::NotifierConfig;
use errand_notifier::limits::{CLAIM_MARGIN_MS, CLAIM_MS};
use errand_store::embedded::{EmbeddedError, EmbeddedOptions, EmbeddedStore};
use errand_store::{Bucket, RandomIds};
use errand_tests::receiver::{Behaviour, Receiver};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::world::{DEADLINE, World};

const DELIVERED: DeliveryOutcome = DeliveryOutcome::Delivered { status: 200 };

#[tokio::test]
async fn stopping_finishes_what_was_claimed_and_takes_nothing_new() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Hang(Duration::from_secs(1))).await;
    let notifier = world.start();
    let first = world.create_finished(&receiver.url()).await;
    receiver.wait_for_posts(1, DEADLINE).await.unwrap();
    let second = world.create_finished(&receiver.url()).await;
    notifier.stop().await;
    let outcome = world.deliveries(&first).await.unwrap().all[0].outcome.clone();
    assert_eq!((outcome, world.deliveries(&second).await), (Some(DELIVERED), None));
}

#[tokio::test]
async fn what_happened_meanwhile_is_delivered_after_a_restart() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let notifier = world.start();
    let told = world.create_finished(&receiver.url()).await;
    let open = world.create(&receiver.url()).await;
    world.outcomes(&told, 1).await;
    notifier.stop().await;
    assert!(world.stores.keyvalue.get(Bucket::Views, "notifier-0").await.unwrap().is_some());

    world.stop(&open).await;
    let notifier = world.start();
    assert_eq!(world.outcomes(&open, 1).await, [DELIVERED]);
    notifier.stop().await;
    assert_eq!(receiver.posts().len(), 2);
}

#[tokio::test]
async fn a_run_that_was_due_at_the_snapshot_is_delivered_after_a_restart() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let notifier = world.start();
    let told = world.create_finished(&receiver.url()).await;
    world.outcomes(&told, 1).await;
    // Within its first second, so that it is known but not due.
    let due = world.create_finished(&receiver.url()).await;
    notifier.stop().await;
    assert_eq!(world.deliveries(&due).await, None);
    let _notifier = world.start();
    assert_eq!(world.outcomes(&due, 1).await, [DELIVERED]);
}

#[tokio::test]
async fn a_lost_snapshot_sends_nothing_again() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let notifier = world.start();
    for _ in 0..3 {
        let run_id = world.create_finished(&receiver.url()).await;
        world.outcomes(&run_id, 1).await;
    }
    notifier.stop().await;
    world.stores.keyvalue.delete(Bucket::Views, "notifier-0").await.unwrap();
    let notifier = world.start();
    let later = world.create_finished(&receiver.url()).await;
    world.outcomes(&later, 1).await;
    notifier.stop().await;
    assert_eq!(receiver.posts().len(), 4);
}

#[tokio::test]
async fn a_partition_is_taken_over_once_its_lease_has_run_out() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let config = |owner: &str| NotifierConfig { owner: owner.to_owned(), partition_lease_ms: 1_000, ..world.config() };
    let first = world.start_with(config("first"), world.stores.clone());
    let told = world.create_finished(&receiver.url()).await;
    world.outcomes(&told, 1).await;
    let _second = world.start_with(config("second"), world.stores.clone());
    first.crash().await;
    let run_id = world.create_finished(&receiver.url()).await;
    assert_eq!(world.outcomes(&run_id, 1).await, [DELIVERED]);
    assert_eq!(receiver.posts().len(), 2);
}

/// A crashed notifier's tasks let go of the folder at their next turn.
async fn open(folder: &Path) -> EmbeddedStore {
    let opening = async {
        loop {
            let folder = folder.to_owned();
            let blocking = move || EmbeddedStore::open(folder, &EmbeddedOptions::default());
            match tokio::task::spawn_blocking(blocking).await.unwrap() {
                Err(EmbeddedError::InUse { .. }) => {}
                opened => return opened.unwrap(),
            }
        }
    };
    tokio::time::timeout(DEADLINE, opening).await.unwrap()
}

#[tokio::test]
async fn a_folder_opened_again_still_knows_what_was_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let world = World::over(|clock| store.stores(clock, Arc::new(RandomIds)));
    let receiver = Receiver::start(&world.ca, Behaviour::Hang(Duration::from_secs(2))).await;
    let notifier = world.start();
    let run_id = world.create(&receiver.url()).await;
    world.ask(&run_id, 1).await;
    world.stop(&run_id).await;
    receiver.wait_for_posts(1, DEADLINE).await.unwrap();
    notifier.crash().await;
    let ca = world.into_ca();
    store.close().await;

    let store = open(folder.path()).await;
    let world = World { ca, ..World::over(|clock| store.stores(clock, Arc::new(RandomIds))) };
    world.clock.move_on(Duration::from_millis(CLAIM_MS + CLAIM_MARGIN_MS));
    let _notifier = world.start();
    assert_eq!(world.outcomes(&run_id, 2).await, [DeliveryOutcome::InDoubt, DELIVERED]);
    assert_eq!(receiver.posts().len(), 2);
}

#[tokio::test]
async fn a_run_whose_log_cannot_be_read_holds_back_no_other() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let broken = errand_domain::RunId::parse("brun_000000000000000000000001").unwrap();
    let entry =
        errand_store::Entry { commit_id: errand_domain::CommitId(1), payload: b"not a commit".as_slice().into() };
    world.stores.log.append(&errand_store::LogKey::run(&broken), None, entry).await.unwrap();
    let notifier = world.start();
    let run_id = world.create_finished(&receiver.url()).await;
    assert_eq!(world.outcomes(&run_id, 1).await, [DELIVERED]);
    notifier.stop().await;
    let snapshot = world.stores.keyvalue.get(Bucket::Views, "notifier-0").await.unwrap().unwrap();
    assert!(std::str::from_utf8(&snapshot.value).unwrap().contains(broken.as_str()), "it was given up");
}
