//! What only the log on NATS can meet: servers that are too old, set up otherwise, or go away.

use async_nats::jetstream::{self, stream};
use errand_store::jetstream::{JetStreamError, JetStreamLog, JetStreamOptions};
use errand_store::{EventLog, LogError, Position, TailFrom};
use futures::StreamExt;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::nats_server::NatsServer;
use crate::under_test::{PATIENCE, entry, run};

fn options(partitions: u32) -> JetStreamOptions {
    JetStreamOptions { partitions, ..JetStreamOptions::default() }
}

#[tokio::test]
async fn streams_made_with_other_partitions_are_refused() {
    let server = NatsServer::start();
    JetStreamLog::open(server.connect().await, &options(2)).await.unwrap();
    JetStreamLog::open(server.connect().await, &options(2)).await.unwrap();
    let refused = JetStreamLog::open(server.connect().await, &options(3)).await.unwrap_err();
    assert!(matches!(refused, JetStreamError::Partitions { wanted: 3, .. }), "{refused:?}");
}

#[tokio::test]
async fn a_stream_whose_settings_were_changed_is_refused() {
    let server = NatsServer::start();
    let client = server.connect().await;
    JetStreamLog::open(client.clone(), &options(1)).await.unwrap();
    let context = jetstream::new(client.clone());
    let config = context.get_stream("ERRAND_LOG_0").await.unwrap().cached_info().config.clone();
    let changed = stream::Config { allow_direct: true, ..config };
    context.update_stream(changed).await.unwrap();
    let refused = JetStreamLog::open(client, &options(1)).await.unwrap_err();
    assert!(matches!(refused, JetStreamError::Setting { setting: "allow_direct", .. }), "{refused:?}");
}

#[tokio::test]
async fn a_server_too_old_is_refused_before_anything_is_made() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let old_server = tokio::spawn(async move {
        let (socket, _) = listener.accept().await.unwrap();
        let (read, mut write) = socket.into_split();
        let info = r#"{"server_id":"OLD","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}"#;
        write.write_all(format!("INFO {info}\r\n").as_bytes()).await.unwrap();
        let mut said = Vec::new();
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            if line == "PING" {
                write.write_all(b"PONG\r\n").await.unwrap();
            }
            said.push(line);
        }
        said
    });
    let client = async_nats::connect(format!("nats://127.0.0.1:{port}")).await.unwrap();
    let refused = JetStreamLog::open(client, &options(1)).await.unwrap_err();
    assert!(matches!(&refused, JetStreamError::ServerTooOld { version, .. } if version == "2.9.10"), "{refused:?}");
    let said = timeout(PATIENCE, old_server).await.unwrap().unwrap();
    assert!(!said.iter().any(|line| line.starts_with("PUB") || line.starts_with("HPUB")), "{said:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_interrupts_tails_and_keeps_what_it_acknowledged() {
    let mut server = NatsServer::start();
    let log = JetStreamLog::open(server.connect().await, &options(1)).await.unwrap();
    let mut tail = log.tail(0, TailFrom::Start).await.unwrap();
    let mut head = None;
    for number in 0..20 {
        head = Some(log.append(&run(1), head, entry(number)).await.unwrap());
        assert_eq!(tail.next().await.unwrap().unwrap().position, head.unwrap());
    }
    server.kill();
    let end = timeout(PATIENCE, tail.next()).await.unwrap().unwrap();
    assert!(matches!(end, Err(LogError::Interrupted { .. })), "{end:?}");
    assert!(tail.next().await.is_none());

    server.start_again();
    let log = JetStreamLog::open(server.connect().await, &options(1)).await.unwrap();
    assert_eq!(log.last(&run(1)).await.unwrap().map(|record| record.position), head);
    let next = log.append(&run(1), head, entry(20)).await.unwrap();
    let mut again = log.tail(0, TailFrom::After(Position(10))).await.unwrap();
    for position in 11..=next.0 {
        assert_eq!(again.next().await.unwrap().unwrap().position, Position(position));
    }
}
