//! Reads a stream of server-sent events (WHATWG HTML §9.2, the parts that the API uses).

use bytes::{Bytes, BytesMut};
use reqwest::Response;
use serde_json::Value;

use crate::ClientError;

/// An event larger than this is not one of ours.
const LINE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// For resuming after it.
    pub id: Option<String>,
    pub kind: String,
    pub data: Value,
}

/// Events as they come.
#[derive(Debug)]
pub struct EventStream {
    response: Response,
    buffer: BytesMut,
    lines: Lines,
}

#[derive(Debug, Default)]
struct Lines {
    id: Option<String>,
    kind: String,
    data: String,
}

impl EventStream {
    pub(crate) fn new(response: Response) -> Self {
        Self { response, buffer: BytesMut::new(), lines: Lines::default() }
    }

    /// The next event; `None` when the server ended the stream. Cancelling the wait loses nothing.
    ///
    /// # Errors
    /// When the connection broke: open the stream again after the last event's id. [`ClientError::LineTooLong`] when what
    /// comes is not a stream of events.
    pub async fn next(&mut self) -> Result<Option<Event>, ClientError> {
        loop {
            while let Some(line) = take_line(&mut self.buffer) {
                if let Some(event) = self.lines.take(&line) {
                    return Ok(Some(event));
                }
            }
            if self.buffer.len() > LINE_BYTES_MAX {
                return Err(ClientError::LineTooLong { bytes_max: LINE_BYTES_MAX });
            }
            match self.response.chunk().await.map_err(ClientError::Http)? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None => return Ok(None),
            }
        }
    }
}

fn take_line(buffer: &mut BytesMut) -> Option<Bytes> {
    let end = buffer.iter().position(|byte| *byte == b'\n')?;
    let mut line = buffer.split_to(end + 1).freeze();
    line.truncate(end);
    if line.last() == Some(&b'\r') {
        line.truncate(end - 1);
    }
    Some(line)
}

impl Lines {
    /// An empty line ends an event; one without data is a comment or heartbeat.
    fn take(&mut self, line: &[u8]) -> Option<Event> {
        let line = String::from_utf8_lossy(line);
        if line.is_empty() {
            let Lines { id, kind, data } = std::mem::take(self);
            let data = serde_json::from_str(&data).ok()?;
            return Some(Event { id, kind, data });
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.kind),
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_in_pieces_is_read_whole_and_comments_are_skipped() {
        let mut buffer = BytesMut::from(
            &b": heartbeat\n\nid: 7\r\nevent: run.created\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 8"[..],
        );
        let mut lines = Lines::default();
        let mut events = Vec::new();
        while let Some(line) = take_line(&mut buffer) {
            events.extend(lines.take(&line));
        }
        let wanted = Event { id: Some("7".to_owned()), kind: "run.created".to_owned(), data: json!({"a": 1}) };
        assert_eq!(events, [wanted]);
        assert_eq!(&buffer[..], b"id: 8");
    }
}
