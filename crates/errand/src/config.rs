//! The server's settings: defaults, then a TOML file, then `ERRAND_*` variables. All faults are reported together.

mod files;

use errand_domain::price::PriceTable;
use errand_egress::HostRules;
use errand_vault::MasterKey;
use ipnet::IpNet;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;
use toml::{Table, Value};
use tracing_subscriber::EnvFilter;

use self::files::{FileFault, read_extra_ca, read_master_key};

/// Of every variable of ours.
const PREFIX: &str = "ERRAND_";
/// Says what is logged; no setting, yet checked with them.
const LOG_VARIABLE: &str = "ERRAND_LOG";
/// Variables that are not settings of the server: the command line's own, and those of tests.
const OTHER_VARIABLES: [&str; 5] =
    ["ERRAND_SERVER", "ERRAND_CONFIG", "ERRAND_SABOTAGE", "ERRAND_NATS_SERVER", LOG_VARIABLE];
const KEYS: [&str; 21] = [
    "store",
    "data_dir",
    "listen",
    "grpc_listen",
    "api_key",
    "master_key",
    "allow_networks",
    "allow_hosts",
    "extra_ca",
    "chromium",
    "worker_sessions",
    "worker_browsers",
    "account_reads",
    "account_streams",
    "log_format",
    "retention_days",
    "waiting_grace_s",
    "claim_lease_s",
    "models",
    "prices",
    "partitions",
];

/// Settings that reading a page uses; it needs no server.
const READING_KEYS: [&str; 2] = ["chromium", "extra_ca"];

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Human,
    Json,
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[hidden]")
    }
}

/// The settings, checked.
#[derive(Debug, Clone)]
pub struct Config {
    pub data_dir: PathBuf,
    pub listen: SocketAddr,
    pub grpc_listen: SocketAddr,
    pub api_key: Option<Hidden>,
    pub master_key: Option<MasterKey>,
    pub allow_networks: Vec<IpNet>,
    pub allow_hosts: Vec<String>,
    /// PEM text of usable certificates.
    pub extra_ca: Option<Arc<[u8]>>,
    pub chromium: Option<PathBuf>,
    pub worker_sessions: Option<usize>,
    /// Browser processes that the sessions are spread over.
    pub worker_browsers: Option<usize>,
    /// Reads at once of one account.
    pub account_reads: Option<usize>,
    /// Live streams at once of one account.
    pub account_streams: Option<usize>,
    pub log_format: LogFormat,
    pub retention_days: u32,
    pub waiting_grace_s: u32,
    pub claim_lease_s: u32,
    pub models: Vec<String>,
    pub prices: PriceTable,
    /// How many partitions a new store gets.
    pub partitions: u32,
}

/// Every fault of the settings, one a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the settings have {} fault(s):\n  {}", faults.len(), faults.join("\n  "))]
pub struct ConfigFaults {
    pub faults: Vec<String>,
}

impl Config {
    /// As [`Self::load`] with this process's variables.
    ///
    /// # Errors
    /// With every fault of both.
    pub fn of_process(file: Option<&Path>) -> Result<Self, ConfigFaults> {
        Self::load(file, &variables_of_process())
    }

    /// As [`Self::of_process`] for the command that reads a page: the server's own settings are left at their defaults,
    /// unread. What is no setting at all is a fault here too, since it may be one of the command's, misspelt.
    ///
    /// # Errors
    /// With every fault of what it uses.
    pub fn of_reading_process(file: Option<&Path>) -> Result<Self, ConfigFaults> {
        Self::load_for_reading(file, &variables_of_process())
    }

    fn load_for_reading(file: Option<&Path>, variables: &BTreeMap<String, String>) -> Result<Self, ConfigFaults> {
        let mut reader = Reader::of(file, variables);
        reader.values.retain(|key, _| READING_KEYS.contains(&key.as_str()));
        reader.finish()
    }

    /// Reads the file, when there is one, and the variables.
    ///
    /// # Errors
    /// With every fault of both.
    pub fn load(file: Option<&Path>, variables: &BTreeMap<String, String>) -> Result<Self, ConfigFaults> {
        Reader::of(file, variables).finish()
    }
}

/// One setting, and where it was set, for messages.
struct Setting {
    value: Value,
    origin: String,
}

struct Reader {
    values: BTreeMap<String, Setting>,
    faults: Vec<String>,
}

fn variables_of_process() -> BTreeMap<String, String> {
    // What is no Unicode is read as nearly as can be: it is reported as any other value that does not fit.
    let ours = std::env::vars_os().map(|(name, text)| (lossy(&name), lossy(&text)));
    ours.filter(|(name, _)| name.starts_with(PREFIX)).collect()
}

/// 20 characters of a generated key are over 100 bits; a word is shorter.
const API_KEY_CHARS_MIN: usize = 20;

impl Reader {
    fn of(file: Option<&Path>, variables: &BTreeMap<String, String>) -> Self {
        let mut reader = Self { values: BTreeMap::new(), faults: Vec::new() };
        if let Some(file) = file {
            reader.take_file(file);
        }
        reader.take_variables(variables);
        reader
    }

    fn finish(mut self) -> Result<Config, ConfigFaults> {
        let config = self.config();
        if self.faults.is_empty() { Ok(config) } else { Err(ConfigFaults { faults: self.faults }) }
    }

    fn take_file(&mut self, file: &Path) {
        let shown = file.display();
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) => return self.faults.push(format!("{shown}: {error}")),
        };
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => return self.faults.push(format!("{shown}: {error}")),
        };
        for (key, value) in table {
            if KEYS.contains(&key.as_str()) {
                let origin = format!("{shown}: \"{key}\"");
                self.values.insert(key, Setting { value, origin });
            } else {
                self.faults.push(format!("{shown}: \"{key}\" is not a setting"));
            }
        }
    }

    fn take_variables(&mut self, variables: &BTreeMap<String, String>) {
        for (name, text) in variables {
            let Some(key) = name.strip_prefix(PREFIX).map(str::to_ascii_lowercase) else { continue };
            if name == LOG_VARIABLE {
                self.check_log_filter(text);
            }
            if OTHER_VARIABLES.contains(&name.as_str()) {
                continue;
            }
            if !KEYS.contains(&key.as_str()) || key == "prices" {
                self.faults.push(format!("{name} is not a setting"));
                continue;
            }
            let value = Value::String(text.clone());
            self.values.insert(key, Setting { value, origin: name.clone() });
        }
    }

    fn check_log_filter(&mut self, text: &str) {
        if let Err(error) = EnvFilter::try_new(text) {
            self.faults.push(format!("{LOG_VARIABLE}: {error}"));
        }
    }

    fn config(&mut self) -> Config {
        self.check_store();
        Config {
            data_dir: self.data_dir(),
            listen: self.address("listen", 8080),
            grpc_listen: self.address("grpc_listen", 9090),
            api_key: self.api_key(),
            master_key: self.file_setting("master_key", read_master_key),
            allow_networks: self.list("allow_networks", "networks such as 127.0.0.0/8", |text| text.parse().ok()),
            allow_hosts: self.list("allow_hosts", "host names such as wiki.example or *.example", parse_host_rule),
            extra_ca: self.file_setting("extra_ca", read_extra_ca),
            chromium: self.text("chromium").map(PathBuf::from),
            worker_sessions: self.count("worker_sessions", 1_000),
            worker_browsers: self.count("worker_browsers", 16),
            account_reads: self.count("account_reads", 1_000),
            account_streams: self.count("account_streams", 10_000),
            log_format: self
                .parsed("log_format", "\"human\" or \"json\"", parse_log_format)
                .unwrap_or(LogFormat::Human),
            retention_days: self.number("retention_days", 1, 36_500).unwrap_or(30),
            waiting_grace_s: self.number("waiting_grace_s", 0, 86_400).unwrap_or(60),
            claim_lease_s: self.number("claim_lease_s", 4, 600).unwrap_or(10),
            models: self.models(),
            prices: self.prices(),
            partitions: self.number("partitions", 1, 256).unwrap_or(4),
        }
    }

    fn fault(&mut self, origin: &str, wanted: &str) {
        self.faults.push(format!("{origin} must be {wanted}"));
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let setting = self.values.remove(key)?;
        match setting.value {
            Value::String(text) if !text.is_empty() => Some(text),
            // An empty variable is one that is not set.
            Value::String(_) => None,
            _ => {
                self.fault(&setting.origin, "text");
                None
            }
        }
    }

    /// What can be guessed opens the account to anyone; the value is not repeated.
    fn api_key(&mut self) -> Option<Hidden> {
        let wanted = "at least 20 characters: whoever guesses it may use every secret that is stored";
        let is_long = |text: &str| (text.chars().count() >= API_KEY_CHARS_MIN).then(|| Hidden(text.to_owned()));
        self.parsed("api_key", wanted, is_long)
    }

    /// A setting that names a file, read and checked here so that its faults are reported with the others.
    fn file_setting<T>(&mut self, key: &str, read: fn(&str) -> Result<T, FileFault>) -> Option<T> {
        let origin = self.values.get(key)?.origin.clone();
        let read = read(self.text(key)?.trim());
        read.map_err(|fault| self.faults.push(format!("{origin} {:#}", anyhow::Error::from(fault)))).ok()
    }

    fn check_store(&mut self) {
        let is_embedded = |text: &str| (text == "embedded").then_some(());
        self.parsed("store", "\"embedded\": this version cannot serve on a NATS store yet", is_embedded);
    }

    fn data_dir(&mut self) -> PathBuf {
        let is_usable =
            |text: &str| (Path::new(text).is_dir() || !Path::new(text).exists()).then(|| PathBuf::from(text));
        self.parsed("data_dir", "a folder, or the name of one to be made", is_usable)
            .unwrap_or_else(|| PathBuf::from(".errand"))
    }

    fn parsed<T>(&mut self, key: &str, wanted: &str, parse: fn(&str) -> Option<T>) -> Option<T> {
        let origin = self.values.get(key)?.origin.clone();
        let text = self.text(key)?;
        let value = parse(&text);
        if value.is_none() {
            self.fault(&origin, wanted);
        }
        value
    }

    fn address(&mut self, key: &str, port: u16) -> SocketAddr {
        let parsed = self.parsed(key, "an address such as 127.0.0.1:8080", |text| text.parse().ok());
        parsed.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], port)))
    }

    fn number(&mut self, key: &str, min: u32, max: u32) -> Option<u32> {
        let setting = self.values.remove(key)?;
        let number = match &setting.value {
            Value::Integer(number) => u32::try_from(*number).ok(),
            Value::String(text) if text.is_empty() => return None,
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.fault(&setting.origin, &format!("a whole number from {min} to {max}"));
        }
        number
    }

    fn count(&mut self, key: &str, max: u32) -> Option<usize> {
        self.number(key, 1, max).map(|number| number as usize)
    }

    /// A list in the file; in a variable, separated by commas.
    fn list<T>(&mut self, key: &str, wanted: &str, parse: fn(&str) -> Option<T>) -> Vec<T> {
        let Some(setting) = self.values.remove(key) else { return Vec::new() };
        let texts: Option<Vec<String>> = match setting.value {
            Value::String(text) => {
                Some(text.split(',').map(|item| item.trim().to_owned()).filter(|item| !item.is_empty()).collect())
            }
            Value::Array(items) => items.into_iter().map(|item| item.as_str().map(str::to_owned)).collect(),
            _ => None,
        };
        let items = texts.and_then(|texts| texts.iter().map(|text| parse(text)).collect());
        if items.is_none() {
            self.fault(&setting.origin, &format!("a list of {wanted}"));
        }
        items.unwrap_or_default()
    }

    /// A name here would be promised to runs that no planner could serve.
    fn models(&mut self) -> Vec<String> {
        let origin = self.values.get("models").map(|setting| setting.origin.clone()).unwrap_or_default();
        let models = self.list("models", "model names", |text| Some(text.to_owned()));
        if !models.is_empty() {
            self.fault(&origin, "empty: this version has the built-in planner only");
        }
        models
    }

    fn prices(&mut self) -> PriceTable {
        let Some(setting) = self.values.remove("prices") else { return PriceTable::default() };
        match setting.value.try_into() {
            Ok(prices) => prices,
            Err(error) => {
                self.faults.push(format!("{}: {error}", setting.origin));
                PriceTable::default()
            }
        }
    }
}

fn parse_host_rule(text: &str) -> Option<String> {
    HostRules::parse([text]).is_ok().then(|| text.to_owned())
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

fn parse_log_format(text: &str) -> Option<LogFormat> {
    match text {
        "human" => Some(LogFormat::Human),
        "json" => Some(LogFormat::Json),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(variables: &[(&str, &str)]) -> Result<Config, ConfigFaults> {
        let variables = variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Config::load(None, &variables)
    }

    #[test]
    fn defaults_are_the_specs() {
        let config = load(&[]).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.grpc_listen.to_string(), "127.0.0.1:9090");
        assert_eq!((config.data_dir, config.retention_days), (PathBuf::from(".errand"), 30));
    }

    #[test]
    fn all_faults_are_reported_together() {
        let variables =
            [("ERRAND_LISTEN", "here"), ("ERRAND_COLOUR", "red"), ("ERRAND_ALLOW_NETWORKS", "127.0.0.1/99")];
        let faults = load(&variables).unwrap_err().faults;
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults.iter().any(|fault| fault == "ERRAND_COLOUR is not a setting"));
        assert!(faults.iter().any(|fault| fault.starts_with("ERRAND_LISTEN must be an address")));
    }

    #[test]
    fn a_variable_wins_over_the_file_and_unknown_keys_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("errand.toml");
        std::fs::write(&file, "listen = \"127.0.0.1:1\"\ncolour = 1\n").unwrap();
        let fault = Config::load(Some(&file), &BTreeMap::new()).unwrap_err();
        assert!(fault.to_string().contains("\"colour\" is not a setting"));
        std::fs::write(&file, "listen = \"127.0.0.1:1\"\n[prices]\nfast_step = 1\n").unwrap();
        let variables = BTreeMap::from([("ERRAND_LISTEN".to_owned(), "127.0.0.1:2".to_owned())]);
        let config = Config::load(Some(&file), &variables).unwrap();
        assert_eq!(config.listen.port(), 2);
        assert_eq!((config.prices.fast_step, config.prices.precise_step), (1, 12_000));
    }

    #[test]
    fn reading_is_kept_from_nothing_by_settings_of_a_server() {
        let read = |pairs: &[(&str, &str)]| {
            let variables = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            Config::load_for_reading(None, &variables)
        };
        let servers =
            [("ERRAND_STORE", "nats://a.example:4222"), ("ERRAND_DATA_DIR", "/dev/null"), ("ERRAND_LISTEN", "?")];
        assert_eq!(load(&servers).unwrap_err().faults.len(), 3);
        assert!(read(&servers).is_ok());
        assert_eq!(read(&[("ERRAND_CHROMIUM", "/a/b")]).unwrap().chromium, Some(PathBuf::from("/a/b")));
        assert_eq!(read(&[("ERRAND_EXTRA_CA", "/nowhere"), ("ERRAND_COLOUR", "red")]).unwrap_err().faults.len(), 2);
    }

    #[test]
    fn models_are_refused_since_only_the_built_in_planner_exists() {
        let faults = load(&[("ERRAND_MODELS", "some-model")]).unwrap_err().faults;
        assert_eq!(faults, ["ERRAND_MODELS must be empty: this version has the built-in planner only"]);
        assert!(load(&[("ERRAND_MODELS", "")]).unwrap().models.is_empty());
    }

    #[test]
    fn the_key_is_never_printed() {
        let config = load(&[("ERRAND_API_KEY", "erk_secret_of_the_account")]).unwrap();
        assert!(!format!("{config:?}").contains("erk_secret"));
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused_and_not_repeated() {
        let faults = load(&[("ERRAND_API_KEY", "nineteen-characters")]).unwrap_err().faults;
        assert!(faults[0].starts_with("ERRAND_API_KEY must be at least 20 characters"), "{faults:?}");
        assert!(!faults[0].contains("nineteen"), "{faults:?}");
        assert!(load(&[("ERRAND_API_KEY", "twenty-characters-ok")]).is_ok());
        assert!(load(&[("ERRAND_API_KEY", "")]).unwrap().api_key.is_none());
    }

    #[test]
    fn the_example_file_is_valid_names_every_setting_and_shows_the_defaults() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../errand.example.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let guide = std::fs::read_to_string(file.with_file_name("docs/guide.md")).unwrap();
        for key in KEYS {
            let names = [format!("{key} = "), format!("# {key} = "), format!("[{key}]")];
            assert!(text.lines().any(|line| names.iter().any(|name| line.starts_with(name))), "{key} is not there");
            let variable = format!("| `ERRAND_{}` |", key.to_ascii_uppercase());
            assert!(key == "prices" || guide.contains(&variable), "the guide does not name {variable}");
        }
        let shown = Config::load(Some(&file), &BTreeMap::new()).unwrap();
        assert_eq!(format!("{shown:?}"), format!("{:?}", load(&[]).unwrap()));
    }
}
