//! Which server and which streams the log accepts.

use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use errand_domain::limits::COMMIT_BYTES_MAX;
use std::collections::HashMap;

use super::{JetStreamError, JetStreamOptions};
use crate::limits::PARTITIONS_MAX;

/// The subject, the message id and the expected sequence.
const HEADER_BYTES_MAX: usize = 4 * 1024;
const MESSAGE_BYTES_MAX: usize = COMMIT_BYTES_MAX + HEADER_BYTES_MAX;

/// Earlier ones lose acknowledged messages when a file is cut off (Jepsen, 2.12.1).
const VERSION_MIN: (i64, i64, i64) = (2, 12, 3);
const VERSION_MIN_TEXT: &str = "2.12.3";

const FORMAT_KEY: &str = "errand.format";
const FORMAT: &str = "1";
const PARTITIONS_KEY: &str = "errand.partitions";

pub(super) fn check_server(client: &Client) -> Result<(), JetStreamError> {
    let info = client.server_info();
    let (major, minor, patch) = VERSION_MIN;
    if !client.is_server_compatible(major, minor, patch) {
        return Err(JetStreamError::ServerTooOld { version: info.version, wanted: VERSION_MIN_TEXT });
    }
    if info.max_payload < MESSAGE_BYTES_MAX {
        return Err(JetStreamError::PayloadsTooSmall { max: info.max_payload, wanted: MESSAGE_BYTES_MAX });
    }
    Ok(())
}

pub(super) async fn open_streams(
    context: &Context,
    options: &JetStreamOptions,
) -> Result<Vec<Stream<()>>, JetStreamError> {
    let count = options.partitions;
    if count == 0 || count > PARTITIONS_MAX {
        return Err(JetStreamError::PartitionsOutOfRange { wanted: count, max: PARTITIONS_MAX });
    }
    let mut streams = Vec::new();
    for partition in 0..count {
        let wanted = stream_config(partition, options);
        let stream_error = |source| JetStreamError::Stream { stream: wanted.name.clone(), source };
        let opened = context.get_or_create_stream(wanted.clone()).await.map_err(stream_error)?;
        check_config(&opened.cached_info().config, &wanted, count)?;
        let same = context.get_stream_no_info(&wanted.name).await.map_err(|source| JetStreamError::Setting {
            stream: wanted.name.clone(),
            setting: "name",
            found: source.to_string(),
        })?;
        streams.push(same);
    }
    Ok(streams)
}

fn stream_config(partition: u32, options: &JetStreamOptions) -> Config {
    Config {
        name: format!("ERRAND_LOG_{partition}"),
        subjects: vec![format!("run.{partition}.*"), format!("delivery.{partition}.*")],
        retention: RetentionPolicy::Limits,
        // When a limit is set on the server's side, appends fail; nothing stored goes.
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        num_replicas: options.replicas,
        max_message_size: MESSAGE_BYTES_MAX as i32,
        // Direct gets are answered by followers too, which may be behind.
        allow_direct: false,
        deny_delete: true,
        metadata: HashMap::from([
            (FORMAT_KEY.to_owned(), FORMAT.to_owned()),
            (PARTITIONS_KEY.to_owned(), options.partitions.to_string()),
        ]),
        ..Config::default()
    }
}

/// Compares what the server says with what is needed. Limits on size and age that somebody set by hand are refused too:
/// they would drop records.
fn check_config(found: &Config, wanted: &Config, partitions: u32) -> Result<(), JetStreamError> {
    let stored = found.metadata.get(PARTITIONS_KEY).cloned().unwrap_or_default();
    if stored != partitions.to_string() {
        let stream = wanted.name.clone();
        return Err(JetStreamError::Partitions { stream, stored, wanted: partitions });
    }
    let format = found.metadata.get(FORMAT_KEY).map(String::as_str);
    let settings: [(&'static str, bool, String); 9] = [
        ("format", format == Some(FORMAT), format.unwrap_or("missing").to_owned()),
        ("subjects", found.subjects == wanted.subjects, found.subjects.join(" ")),
        ("retention", found.retention == wanted.retention, format!("{:?}", found.retention)),
        ("discard", found.discard == wanted.discard, format!("{:?}", found.discard)),
        ("storage", found.storage == wanted.storage, format!("{:?}", found.storage)),
        ("num_replicas", found.num_replicas == wanted.num_replicas, found.num_replicas.to_string()),
        ("allow_direct", !found.allow_direct, found.allow_direct.to_string()),
        ("max_age", found.max_age.is_zero(), format!("{:?}", found.max_age)),
        ("max_msgs_per_subject", found.max_messages_per_subject <= 0, found.max_messages_per_subject.to_string()),
    ];
    match settings.into_iter().find(|(_, fits, _)| !fits) {
        Some((setting, _, found)) => Err(JetStreamError::Setting { stream: wanted.name.clone(), setting, found }),
        None => Ok(()),
    }
}
