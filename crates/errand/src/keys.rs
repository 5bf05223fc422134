//! `errand keys`: API keys in the embedded store's folder. They are no part of the REST API: whoever may open the folder
//! may make keys, nobody else.

use anyhow::{Context, bail};
use errand_domain::{AccountId, is_dots};
use errand_gateway::{StoredKey, create_key, key_record, list_keys, revoke_key};
use errand_store::embedded::{EmbeddedError, EmbeddedStore};
use errand_store::{RandomIds, Stores, SystemClock};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::Config;
use crate::exit::BadInput;
use crate::options::{KeysCommand, KeysOptions};
use crate::output::{PrintError, print, print_json, print_line, print_once, tell_line};
use crate::server::open_stores;
use crate::table::{is_for_people, table};

/// Opens the folder, does one thing, and closes it.
pub async fn keys(options: KeysOptions) -> anyhow::Result<ExitCode> {
    let config = Config::of_process(options.config.as_deref())?;
    let store = open(&config, &options.command).await?;
    let stores = store.stores(Arc::new(SystemClock), Arc::new(RandomIds));
    let done = carry_out(options.command, &stores).await;
    store.close().await;
    done.map(|()| ExitCode::SUCCESS)
}

async fn open(config: &Config, command: &KeysCommand) -> anyhow::Result<EmbeddedStore> {
    let shown = config.data_dir.display();
    let makes_folder = match command {
        KeysCommand::Create { .. } => true,
        KeysCommand::List | KeysCommand::Revoke { .. } => false,
    };
    if !makes_folder && !config.data_dir.exists() {
        bail!("there is no data folder {shown}; ERRAND_DATA_DIR names another");
    }
    let opened = open_stores(config).await;
    opened.map_err(|error| match error.downcast_ref::<EmbeddedError>() {
        Some(EmbeddedError::InUse { .. }) => {
            error.context("a running server holds the data folder; stop it, then change keys, and start it again")
        }
        Some(
            EmbeddedError::Partitions { .. }
            | EmbeddedError::Format { .. }
            | EmbeddedError::FormatFile { .. }
            | EmbeddedError::PartitionsOutOfRange { .. }
            | EmbeddedError::File { .. }
            | EmbeddedError::Database { .. }
            | EmbeddedError::Corrupt { .. }
            | EmbeddedError::NoStore { .. }
            | EmbeddedError::NotEmpty { .. }
            | EmbeddedError::Damaged { .. },
        )
        | None => error,
    })
}

async fn carry_out(command: KeysCommand, stores: &Stores) -> anyhow::Result<()> {
    match command {
        KeysCommand::Create { account, operator, label } => {
            let parsed = AccountId::parse(&account).ok().filter(|account| !is_dots(account.as_str()));
            let account = parsed.ok_or(BadInput::Account { account })?;
            let record = key_record(account, operator, &label, stores.clock.now());
            let key = create_key(&*stores.keyvalue, record).await?;
            let shown = print_once(key.secret().expose_secret());
            shown.context("a key was made and not shown; revoke it (`errand keys list` has its id)")?;
            tell_line("this is the only time that the key is shown");
        }
        KeysCommand::List => list(list_keys(&*stores.keyvalue).await?)?,
        KeysCommand::Revoke { id } => {
            if !revoke_key(&*stores.keyvalue, &id).await? {
                bail!("there is no key with the id {id:?}");
            }
            print_line(&format!("revoked {id}"))?;
        }
    }
    Ok(())
}

fn list(keys: Vec<StoredKey>) -> Result<(), PrintError> {
    let keys: Vec<Value> = keys.iter().map(key_json).collect();
    if !is_for_people() {
        return print_json(&json!({"object": "list", "data": keys}));
    }
    let row = |key: &Value| {
        let text = |name: &str| key[name].as_str().unwrap_or_default().to_owned();
        let sees = if key["operator"] == true { "all accounts" } else { "its account" };
        vec![text("id"), text("account"), sees.to_owned(), text("created_at"), text("label")]
    };
    let rows: Vec<Vec<String>> = keys.iter().map(row).collect();
    print(&table(&["ID", "ACCOUNT", "SEES", "CREATED", "LABEL"], &rows))
}

fn key_json(key: &StoredKey) -> Value {
    let record = &key.record;
    let created_at = errand_domain::Timestamp::from_millis(record.created_at_ms).to_string();
    json!({
        "object": "key", "id": key.id, "account": record.account, "operator": record.operator,
        "label": record.label, "created_at": created_at,
    })
}
