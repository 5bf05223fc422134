//! `errand secrets`: stores, lists and removes a server's secrets. A value never stands on a command line.

use anyhow::Context;
use errand_client::{Client, Method};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::api;
use crate::exit::BadInput;
use crate::options::{SecretsCommand, SecretsOptions};
use crate::output::{PrintError, print, print_json, tell, tell_line};
use crate::table::{is_for_people, table};

/// The API takes 4 096 characters, which are at most so many bytes; and the end of the line.
const VALUE_BYTES_MAX: u64 = 4 * 4_096 + 2;

/// Carries out one of the calls.
pub async fn secrets(options: SecretsOptions) -> anyhow::Result<ExitCode> {
    let client = api::client(&options.server)?;
    match options.command {
        SecretsCommand::Put { name, from_file, hosts, totp } => {
            let value = tokio::task::spawn_blocking(move || value(from_file)).await??;
            print_json(&put(&client, &name, &value, &hosts, totp).await?)?;
        }
        SecretsCommand::List => list(&client.call(Method::GET, "/v1/browser/secrets", None).await?)?,
        SecretsCommand::Delete { name } => print_json(&client.call(Method::DELETE, &path(&name), None).await?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn path(name: &str) -> String {
    let escaped: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    format!("/v1/browser/secrets/{}", escaped.replace('+', "%20"))
}

pub async fn put(
    client: &Client,
    name: &str,
    value: &SecretString,
    hosts: &[String],
    totp: bool,
) -> anyhow::Result<Value> {
    let body = json!({"value": value.expose_secret(), "hosts": hosts, "totp": totp});
    Ok(client.call(Method::PUT, &path(name), Some(&body)).await?)
}

fn list(answer: &Value) -> Result<(), PrintError> {
    if !is_for_people() {
        return print_json(answer);
    }
    let secrets = answer["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let row = |secret: &Value| {
        let text = |name: &str| secret[name].as_str().unwrap_or_default().to_owned();
        let hosts = secret["hosts"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let kind = if secret["totp"] == true { "totp" } else { "value" };
        vec![text("name"), kind.to_owned(), hosts.collect::<Vec<_>>().join(" "), text("created_at")]
    };
    let rows: Vec<Vec<String>> = secrets.iter().map(row).collect();
    print(&table(&["NAME", "KIND", "HOSTS", "CREATED"], &rows))
}

/// From the file, or from stdin.
fn value(from_file: Option<PathBuf>) -> anyhow::Result<SecretString> {
    let text = match from_file {
        Some(file) => read_file(&file)?,
        None if std::io::stdin().is_terminal() => type_unseen("value")?,
        None => read_all(std::io::stdin().lock()).context("stdin")?,
    };
    let value = without_line_end(&text);
    if value.is_empty() { Err(BadInput::NoValue.into()) } else { Ok(SecretString::from(value)) }
}

/// A value as it is typed or stands in a file.
pub fn without_line_end(text: &str) -> &str {
    let line = text.strip_suffix('\n').unwrap_or(text);
    line.strip_suffix('\r').unwrap_or(line)
}

pub fn read_file(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let opened = File::open(file).with_context(|| format!("cannot open {shown}"))?;
    read_all(opened).with_context(|| format!("cannot read {shown}"))
}

fn read_all(source: impl Read) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = source.take(VALUE_BYTES_MAX + 1).read_to_string(&mut text)? as u64;
    if read > VALUE_BYTES_MAX { Err(BadInput::LongValue { max_bytes: VALUE_BYTES_MAX }.into()) } else { Ok(text) }
}

/// A line from the terminal, which does not show it meanwhile.
pub fn type_unseen(what: &str) -> anyhow::Result<String> {
    tell(&format!("{what} (not shown): "));
    let stdin = std::io::stdin();
    let before = tcgetattr(&stdin).context("the terminal cannot hide what is typed; use --from-file")?;
    let mut hiding = before.clone();
    hiding.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &hiding).context("the terminal cannot hide what is typed")?;
    let mut line = String::new();
    let read = stdin.read_line(&mut line);
    tcsetattr(&stdin, OptionalActions::Flush, &before).context("the terminal still hides what is typed")?;
    tell_line("");
    read.context("stdin")?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_all_but_the_end_of_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("value");
        std::fs::write(&file, " two words \r\n").unwrap();
        assert_eq!(value(Some(file.clone())).unwrap().expose_secret(), " two words ");
        std::fs::write(&file, "\n").unwrap();
        assert!(value(Some(file.clone())).unwrap_err().is::<BadInput>());
        std::fs::write(&file, "x".repeat(20_000)).unwrap();
        assert!(value(Some(file)).is_err());
    }

    #[test]
    fn a_name_stays_one_part_of_the_path() {
        assert_eq!(path("../keys?x"), "/v1/browser/secrets/..%2Fkeys%3Fx");
    }
}
