//! Where a hub is, and what opens it.

use std::fmt;

/// A hub's address and token.
#[derive(Clone, PartialEq, Eq)]
pub struct HubAddress {
    /// Host and port, as a `Host` header has them.
    host: String,
    token: String,
}

/// Why a text is no hub's address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not a URL of a hub.
    #[error(
        "\"{0}\" is not a hub's address: `studio serve` prints one, such as http://127.0.0.1:7171/?token=…"
    )]
    NotAnAddress(String),
    /// A URL that asks for encryption.
    #[error(
        "{0}: this program speaks http:// only. Let ssh encrypt it: ssh -N -L 7171:127.0.0.1:7171 HUB, then join \
         http://127.0.0.1:7171; or stunnel, as docs/LAB.md shows"
    )]
    Encrypted(String),
    /// No token anywhere.
    #[error(
        "the hub's token is missing: give it with --token, or use the whole address that `studio serve` printed"
    )]
    NoToken,
}

impl HubAddress {
    /// What `studio serve` prints, or its part before the token and the token by itself.
    pub fn parse(url: &str, token: Option<&str>) -> Result<Self, AddressError> {
        let not = || AddressError::NotAnAddress(url.chars().take(200).collect());
        if url.starts_with("https://") || url.starts_with("wss://") {
            return Err(AddressError::Encrypted(url.split('?').next().unwrap_or_default().to_owned()));
        }
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("ws://")).ok_or_else(not)?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if host.is_empty() || host.contains(['@', ' ']) {
            return Err(not());
        }
        let host = if has_port { host.to_owned() } else { format!("{host}:80") };
        let of_url = path.split_once("token=").map(|(_, token)| token.split('&').next().unwrap_or_default());
        let token = token.or(of_url).map(str::trim).filter(|token| !token.is_empty());
        let token = token.ok_or(AddressError::NoToken)?;
        if !token.bytes().all(|c| c.is_ascii_graphic()) {
            return Err(AddressError::NoToken);
        }
        Ok(Self { host, token: token.to_owned() })
    }

    /// Host and port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// What opens it: to be handed to another program, never to be shown.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The value of the header `Authorization`.
    pub(super) fn authorization(&self) -> String {
        format!("Bearer {}", self.token)
    }
}

/// Without the token, which belongs in no log.
impl fmt::Display for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.host)
    }
}

impl fmt::Debug for HubAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_hub_prints_is_an_address_and_tokens_are_never_shown() {
        let whole = HubAddress::parse("http://127.0.0.1:7171/?token=abc\n", None).unwrap();
        assert_eq!(whole, HubAddress::parse("http://127.0.0.1:7171", Some("abc")).unwrap());
        assert_eq!((whole.host(), whole.authorization().as_str()), ("127.0.0.1:7171", "Bearer abc"));
        assert_eq!(format!("{whole} {whole:?}"), "http://127.0.0.1:7171 http://127.0.0.1:7171");
        assert_eq!(HubAddress::parse("ws://pi:7171/ws", Some("t")).unwrap().host(), "pi:7171");
    }

    #[test]
    fn other_texts_are_refused_with_what_to_do() {
        let words = |url, token| HubAddress::parse(url, token).unwrap_err().to_string();
        assert!(words("127.0.0.1:7171", Some("t")).contains("`studio serve` prints one"));
        assert!(words("https://hub", Some("t")).contains("ssh -N -L"));
        assert!(words("http://hub:1", None).contains("--token"));
        assert!(words("http://hub:1/?token=", None).contains("--token"));
    }
}
