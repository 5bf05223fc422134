//! A notifier dies, or its store answers badly, at the worst moments: never a second POST.

use errand_domain::delivery::DeliveryOutcome;
use errand_notifier::NotifierConfig;
use errand_notifier::limits::{CLAIM_MARGIN_MS, CLAIM_MS};
use errand_store::Sabotage;
use errand_tests::receiver::{Behaviour, Receiver};
use std::time::Duration;

use super::faulty_log::{At, Fault, FaultyLog};
use super::world::{DEADLINE, Running, World};

const DELIVERED: DeliveryOutcome = DeliveryOutcome::Delivered { status: 200 };
/// Long enough for a POST to be seen, short enough to come back in time.
const SLOW: Duration = Duration::from_secs(2);

/// Another process takes over, once the dead one's claim and lease are over.
fn take_over(world: &World, config: NotifierConfig) -> Running {
    world.clock.move_on(Duration::from_millis(CLAIM_MS + CLAIM_MARGIN_MS));
    world.start_with(NotifierConfig { owner: "successor".to_owned(), ..config }, world.stores.clone())
}

#[tokio::test]
async fn a_crash_between_claim_and_request_is_in_doubt_and_sends_nothing() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Claim, Fault::HeldAfter);
    let notifier = world.start_with(world.config(), stores);
    let run_id = world.create(&receiver.url()).await;
    world.ask(&run_id, 1).await;
    log.struck().await;
    notifier.crash().await;

    world.stop(&run_id).await;
    let _successor = take_over(&world, world.config());
    assert_eq!(world.outcomes(&run_id, 2).await, [DeliveryOutcome::InDoubt, DELIVERED]);
    let events: Vec<_> = receiver.posts().iter().map(|post| post.json().unwrap()["event"].clone()).collect();
    assert_eq!(events, ["run.finished"]);
}

/// The outcomes and POSTs after a crash while the receiver thinks.
async fn crash_within_the_exchange(world: &World, config: NotifierConfig) -> (Vec<DeliveryOutcome>, usize) {
    let receiver = Receiver::start(&world.ca, Behaviour::Hang(SLOW)).await;
    let notifier = world.start_with(config.clone(), world.stores.clone());
    let run_id = world.create_finished(&receiver.url()).await;
    receiver.wait_for_posts(1, DEADLINE).await.unwrap();
    notifier.crash().await;
    let successor = take_over(world, config);
    let outcomes = world.outcomes(&run_id, 1).await;
    successor.stop().await;
    (outcomes, receiver.posts().len())
}

#[tokio::test]
async fn a_crash_within_the_exchange_is_in_doubt_and_not_sent_again() {
    let world = World::new();
    let (outcomes, posts) = crash_within_the_exchange(&world, world.config()).await;
    assert_eq!((outcomes.as_slice(), posts), ([DeliveryOutcome::InDoubt].as_slice(), 1));
}

#[tokio::test]
async fn without_claim_before_send_a_crash_is_noticed_as_a_second_post() {
    let world = World::new();
    let config = NotifierConfig { sabotage: Some(Sabotage::ClaimAfterSend), ..world.config() };
    let (_, posts) = crash_within_the_exchange(&world, config).await;
    assert_eq!(posts, 2);
}

#[tokio::test]
async fn resending_what_is_in_doubt_is_noticed_as_a_second_post() {
    let world = World::new();
    let config = NotifierConfig { sabotage: Some(Sabotage::ResendInDoubt), ..world.config() };
    let (_, posts) = crash_within_the_exchange(&world, config).await;
    assert_eq!(posts, 2);
}

#[tokio::test]
async fn a_crash_before_the_result_is_stored_is_in_doubt_and_not_sent_again() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Result, Fault::HeldBefore);
    let notifier = world.start_with(world.config(), stores);
    let run_id = world.create_finished(&receiver.url()).await;
    log.struck().await;
    notifier.crash().await;
    let _successor = take_over(&world, world.config());
    assert_eq!(world.outcomes(&run_id, 1).await, [DeliveryOutcome::InDoubt]);
    assert_eq!(receiver.posts().len(), 1);
}

#[tokio::test]
async fn an_open_claim_is_left_alone_until_its_time_is_over() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Claim, Fault::HeldAfter);
    let claimer = world.start_with(world.config(), stores);
    let run_id = world.create_finished(&receiver.url()).await;
    log.struck().await;
    let lease_ms = errand_notifier::limits::PARTITION_LEASE_MS_DEFAULT;
    world.clock.move_on(Duration::from_millis(lease_ms));
    let config = NotifierConfig { owner: "second".to_owned(), ..world.config() };
    let _second = world.start_with(config, world.stores.clone());
    let other = world.create_finished(&receiver.url()).await;
    assert_eq!(world.outcomes(&other, 1).await, [DELIVERED]);
    assert_eq!(world.deliveries(&run_id).await.unwrap().all[0].outcome, None);
    drop(claimer);
}

#[tokio::test]
async fn a_claim_whose_answer_was_lost_is_read_back_and_sent_once() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Claim, Fault::AnswerLost);
    let _notifier = world.start_with(world.config(), stores);
    let run_id = world.create_finished(&receiver.url()).await;
    log.struck().await;
    assert_eq!(world.outcomes(&run_id, 1).await, [DELIVERED]);
    assert_eq!(receiver.posts().len(), 1);
}

#[tokio::test]
async fn a_claim_that_cannot_be_read_back_is_not_sent_and_ends_in_doubt() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Claim, Fault::AnswerLostAndDown);
    let notifier = world.start_with(world.config(), stores);
    let run_id = world.create_finished(&receiver.url()).await;
    log.struck().await;
    log.go_on();
    notifier.stop().await;
    let _successor = take_over(&world, world.config());
    let outcomes = world.outcomes(&run_id, 1).await;
    assert_eq!((outcomes, receiver.posts().len()), (vec![DeliveryOutcome::InDoubt], 0));
}

#[tokio::test]
async fn a_claim_that_took_too_long_is_not_sent() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let (stores, log) = FaultyLog::over(&world.stores, At::Claim, Fault::HeldAfter);
    let _notifier = world.start_with(world.config(), stores);
    let run_id = world.create_finished(&receiver.url()).await;
    log.struck().await;
    world.clock.move_on(Duration::from_millis(CLAIM_MS));
    log.go_on();
    let reason = "the claim expired before the request was written".to_owned();
    assert_eq!(world.outcomes(&run_id, 1).await, [DeliveryOutcome::NotSent { reason }]);
    assert_eq!(receiver.posts().len(), 0);
}
