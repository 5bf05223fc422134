use errand_domain::BlobKey;
use errand_domain::delivery::DeliveryOutcome;
use errand_domain::price::PriceTable;
use errand_domain::run::{Conclusion, ObjectOptions, fold, webhook_object};
use errand_tests::receiver::{Behaviour, Receiver};
use serde_json::{Value, json};

use super::world::{DEADLINE, World};

#[tokio::test]
async fn the_body_is_the_run_as_of_its_event_however_far_it_has_moved_on() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let run_id = world.create(&receiver.url()).await;
    world.ask(&run_id, 1).await;
    world.reply(&run_id).await;
    let conclusion = Conclusion {
        answer: Some("It costs $89.95.".to_owned()),
        data: Some(json!({"price": 89.95})),
        ..Conclusion::default()
    };
    world.conclude(&run_id, conclusion).await;
    world.settle(&run_id).await;
    world.outcomes(&run_id, 2).await;

    let history = world.history(&run_id).await;
    let posts = receiver.posts();
    for (post, (event, up_to)) in posts.iter().zip([("run.waiting", 3), ("run.finished", 7)]) {
        let run = fold(&history[..up_to]).unwrap().unwrap();
        let options = ObjectOptions { now: history[up_to - 1].at, prices: &PriceTable::default(), data: None };
        let expected = json!({"event": event, "run": webhook_object(&run, options)});
        assert_eq!(post.json().unwrap(), expected);
        assert_eq!(post.header("x-lovely-event"), Some(event));
    }
    let (waiting, finished) = (posts[0].json().unwrap(), posts[1].json().unwrap());
    assert_eq!(
        (&waiting["run"]["answer"], &waiting["run"]["needs"]["prompt"]),
        (&Value::Null, &json!("Which colour?"))
    );
    assert_eq!(finished["run"]["data"], json!({"price": 89.95}));
}

#[tokio::test]
async fn the_body_holds_no_money_secret_or_poll_address() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let run_id = world.create_finished(&receiver.url()).await;
    world.settle(&run_id).await;
    let post = receiver.wait_for_posts(1, DEADLINE).await.unwrap().remove(0);
    let text = std::str::from_utf8(&post.body).unwrap();
    for absent in ["charge_usd", "reserved_usd", "webhook_secret", "poll", world.secret(&run_id).as_str()] {
        assert!(!text.contains(absent), "{absent}");
    }
    let body = post.json().unwrap();
    assert_eq!(body.as_object().unwrap().keys().collect::<Vec<_>>(), ["event", "run"]);
    assert_eq!(body["run"]["id"], json!(run_id));
}

#[tokio::test]
async fn data_that_is_stored_apart_stands_in_the_body() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let run_id = world.create(&receiver.url()).await;
    let key = BlobKey::parse("data").unwrap();
    let data = json!({"rows": vec!["lamp"; 50_000]});
    world.stores.blobs.put(&run_id, &key, data.to_string().into()).await.unwrap();
    world.conclude(&run_id, Conclusion { data_blob: Some(key), ..Conclusion::default() }).await;
    let post = receiver.wait_for_posts(1, DEADLINE).await.unwrap().remove(0);
    assert_eq!(post.json().unwrap()["run"]["data"], data);
    errand_tests::verify::verify(&world.secret(&run_id), &post).unwrap();
}

#[tokio::test]
async fn a_body_whose_data_is_missing_is_not_sent() {
    let world = World::new();
    let receiver = Receiver::start(&world.ca, Behaviour::Ok200).await;
    let _notifier = world.start();
    let run_id = world.create(&receiver.url()).await;
    let data_blob = Some(BlobKey::parse("data").unwrap());
    world.conclude(&run_id, Conclusion { data_blob, ..Conclusion::default() }).await;
    let reason = "the run's data is missing".to_owned();
    assert_eq!(world.outcomes(&run_id, 1).await, [DeliveryOutcome::NotSent { reason }]);
    assert_eq!(receiver.connections(), 0);
}
