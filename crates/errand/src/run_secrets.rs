//! Secrets of `errand run`: the command line names them and says where their values come from, never the values.

use errand_client::Client;
use secrecy::SecretString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use crate::exit::BadInput;
use crate::secrets::{put, read_file, type_unseen, without_line_end};

/// A secret of the run, before its value is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedSecret {
    pub name: String,
    origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    Terminal,
    File(PathBuf),
    Variable(String),
}

impl NamedSecret {
    /// # Errors
    /// When the option is not of a form that says where the value comes from. What it holds is not repeated: it may be one.
    pub fn parse(given: &str) -> Result<Self, BadInput> {
        let (name, origin) = match given.split_once('=') {
            None => (given, Origin::Terminal),
            Some((name, source)) => {
                let unusable = || BadInput::Secret { given: format!("{name}=…") };
                let of_variable = |name: &str| Origin::Variable(name.to_owned());
                let of_file = |file: &str| Origin::File(PathBuf::from(file));
                let file = source.strip_prefix('@').map(of_file);
                (name, file.or_else(|| source.strip_prefix("env:").map(of_variable)).ok_or_else(unusable)?)
            }
        };
        Ok(Self { name: name.to_owned(), origin })
    }

    /// Reads the value; from the terminal it is not shown.
    ///
    /// # Errors
    /// When there is none.
    pub fn value(&self) -> anyhow::Result<SecretString> {
        let text = match &self.origin {
            Origin::File(file) => read_file(Path::new(file))?,
            Origin::Variable(variable) => {
                std::env::var(variable).map_err(|_| self.missing(&format!("{variable} is not set")))?
            }
            Origin::Terminal if std::io::stdin().is_terminal() => type_unseen(&self.name)?,
            Origin::Terminal => {
                return Err(self.missing("there is no terminal to ask on; give =@FILE or =env:VARIABLE").into());
            }
        };
        let value = without_line_end(&text);
        if value.is_empty() { Err(self.missing("the value is empty").into()) } else { Ok(SecretString::from(value)) }
    }

    fn missing(&self, reason: &str) -> BadInput {
        BadInput::NoSecret { name: self.name.clone(), reason: reason.to_owned() }
    }
}

/// Stores the secrets with the run's own server, which is gone with the run.
///
/// # Errors
/// When the server refuses one.
pub async fn store(client: &Client, secrets: &[(String, SecretString)]) -> anyhow::Result<()> {
    for (name, value) in secrets {
        put(client, name, value, &[], false).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_says_where_the_value_is_and_never_what_it_is() {
        let parse = |given: &str| NamedSecret::parse(given).map(|secret| (secret.name, secret.origin));
        assert_eq!(parse("pw").unwrap(), ("pw".to_owned(), Origin::Terminal));
        assert_eq!(parse("pw=@/a/b").unwrap().1, Origin::File(PathBuf::from("/a/b")));
        assert_eq!(parse("pw=env:SHOP").unwrap().1, Origin::Variable("SHOP".to_owned()));
        let refused = parse("pw=hunter2").unwrap_err().to_string();
        assert!(refused.contains("pw=") && !refused.contains("hunter2"), "{refused}");
    }
}
