//! A client for the server that the command line names.

use errand_client::Client;

use crate::exit::BadInput;
use crate::options::ServerOptions;

/// Connects to nothing yet.
///
/// # Errors
/// When there is no key, or the address is not one.
pub fn client(options: &ServerOptions) -> anyhow::Result<Client> {
    let key = options.key.as_deref().filter(|key| !key.is_empty()).ok_or(BadInput::NoKey)?;
    Ok(Client::new(&options.server, key)?)
}
