//! Who may speak to the hub: the token, the `Host` and the `Origin` of each request.
//!
//! The token proves that whoever asks could read the owner's files or terminal. `Host` must be a name of this
//! machine, so that a web site whose name was made to resolve to 127.0.0.1 gets nothing. `Origin`, where a
//! browser sends one, must be the hub's own page.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Redirect, Response},
};
use std::{fs, io, io::Write, net::SocketAddr, os::unix::fs::OpenOptionsExt, path::Path, sync::Arc};

use super::words;

/// What requests are checked against.
#[derive(Debug)]
pub(crate) struct Auth {
    /// Compared by its hash, which takes equally long however much of a guess is right.
    token: blake3::Hash,
    cookie: String,
    hosts: Vec<String>,
    /// Those of them that a proxy answers at, perhaps with TLS, so that a page from there says `https`.
    proxied: Vec<String>,
}

/// Reads the token or, at the first start, makes it: 32 random bytes in hexadecimal, readable by the owner.
pub(crate) fn load_token(path: &Path) -> io::Result<String> {
    match fs::read_to_string(path) {
        Ok(text) if text.trim().len() >= 32 => return Ok(text.trim().to_owned()),
        Ok(_) => fs::remove_file(path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    let token = studio_protocol::Hash::from_bytes(bytes).to_string();
    let mut file = fs::File::options().create_new(true).write(true).mode(0o600).open(path)?;
    file.write_all(token.as_bytes())?;
    Ok(token)
}

impl Auth {
    /// For a hub that listens at this address and is reached by these names, too.
    pub(crate) fn new(token: &str, address: SocketAddr, more: &[String]) -> Self {
        let port = address.port();
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned()];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        hosts.push(address.to_string());
        let proxied: Vec<String> = more.iter().map(|host| host.to_ascii_lowercase()).collect();
        hosts.extend(proxied.iter().cloned());
        if port == 80 {
            hosts.extend(names);
        }
        Self { token: blake3::hash(token.as_bytes()), cookie: format!("studio_token_{port}"), hosts, proxied }
    }

    fn is_token(&self, guess: &str) -> bool {
        blake3::hash(guess.as_bytes()) == self.token
    }

    /// Whether the headers carry the token: as `Authorization: Bearer` or in the page's cookie.
    fn admits(&self, headers: &HeaderMap) -> bool {
        let bearer = text(headers, header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        if let Some(guess) = bearer {
            return self.is_token(guess.trim());
        }
        headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .any(|(name, value)| name == self.cookie && self.is_token(value))
    }

    /// The reason to refuse a request because of where it comes from.
    fn refuses_place(&self, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|value| value.to_str().ok()).map(str::to_ascii_lowercase);
        let (Some(host), None) = (host, hosts.next()) else {
            return Some("The request has no Host, or more than one.");
        };
        if !self.hosts.contains(&host) {
            return Some(
                "The request's Host is not an address of this hub. Open the address that `studio serve` printed.",
            );
        }
        let changes = !matches!(*method, Method::GET | Method::HEAD) || headers.contains_key(header::UPGRADE);
        let origin = headers.get(header::ORIGIN).filter(|_| changes)?;
        let is_own = |scheme: &str| origin.as_bytes() == format!("{scheme}://{host}").as_bytes();
        if is_own("http") || (self.proxied.contains(&host) && is_own("https")) {
            return None;
        }
        Some("The request comes from another site's page (its Origin is not this hub).")
    }
}

fn text(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The token in an address, if there is one.
fn query_token(uri: &Uri) -> Option<String> {
    let query = uri.query()?;
    form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token").map(|(_, value)| value.into())
}

/// Lets a request through or answers it: 403 for a wrong place, a redirect that sets the cookie for a right
/// token in the address, 401 without a right token.
pub(crate) async fn check(State(auth): State<Arc<Auth>>, request: Request, next: Next) -> Response {
    if let Some(reason) = auth.refuses_place(request.method(), request.headers()) {
        return (StatusCode::FORBIDDEN, words::page("Refused", reason)).into_response();
    }
    if let Some(guess) = query_token(request.uri()) {
        if auth.is_token(guess.trim()) {
            let cookie = format!(
                "{}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000",
                auth.cookie,
                guess.trim()
            );
            return ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response();
        }
        return denied("That is not this hub's token.");
    }
    if !auth.admits(request.headers()) {
        return denied("This hub needs its token.");
    }
    next.run(request).await
}

fn denied(reason: &str) -> Response {
    let body = words::page(
        reason,
        "Open the whole address that `studio serve` printed, the part after `?token=` included. \
         The token is also in the file `token` in the hub's data folder.",
    );
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth() -> Auth {
        Auth::new("secret", "127.0.0.1:7171".parse().unwrap(), &[])
    }

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn the_token_comes_as_bearer_or_in_the_cookie_of_this_port() {
        assert!(auth().admits(&headers(&[(header::AUTHORIZATION, "Bearer secret")])));
        assert!(auth().admits(&headers(&[(header::COOKIE, "a=b; studio_token_7171=secret")])));
        assert!(!auth().admits(&headers(&[(header::COOKIE, "studio_token_7172=secret")])));
        assert!(!auth().admits(&headers(&[(header::AUTHORIZATION, "Bearer secre")])));
        assert!(!auth().admits(&headers(&[(header::AUTHORIZATION, "Bearer ")])));
        assert!(!auth().admits(&HeaderMap::new()));
    }

    #[test]
    fn only_names_of_this_machine_with_the_port_are_hosts() {
        let refuses =
            |host: &str| auth().refuses_place(&Method::GET, &headers(&[(header::HOST, host)])).is_some();
        for right in ["127.0.0.1:7171", "localhost:7171", "LOCALHOST:7171", "[::1]:7171"] {
            assert!(!refuses(right), "{right}");
        }
        for wrong in ["127.0.0.1", "127.0.0.1:80", "evil.example:7171", "localhost.evil.example:7171", ""] {
            assert!(refuses(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_page_that_a_proxy_encrypts_is_the_hubs_own() {
        let auth = Auth::new("secret", "127.0.0.1:7171".parse().unwrap(), &["Hub.example:7443".to_owned()]);
        let refuses = |host: &str, origin: &str| {
            let headers = headers(&[(header::HOST, host), (header::ORIGIN, origin)]);
            auth.refuses_place(&Method::POST, &headers).is_some()
        };
        assert!(!refuses("hub.example:7443", "https://hub.example:7443"));
        assert!(!refuses("hub.example:7443", "http://hub.example:7443"));
        assert!(refuses("hub.example:7443", "https://other.example:7443"));
        // Nothing that encrypts stands before the hub's own address.
        assert!(refuses("127.0.0.1:7171", "https://127.0.0.1:7171"));
    }

    #[test]
    fn a_foreign_origin_changes_nothing_and_opens_no_websocket() {
        let from = |method: Method, origin: &str, upgrade: bool| {
            let mut headers = headers(&[(header::HOST, "localhost:7171"), (header::ORIGIN, origin)]);
            if upgrade {
                headers.insert(header::UPGRADE, "websocket".parse().unwrap());
            }
            auth().refuses_place(&method, &headers).is_some()
        };
        assert!(!from(Method::POST, "http://localhost:7171", false));
        assert!(!from(Method::GET, "http://localhost:7171", true));
        for wrong in ["http://127.0.0.1:7171", "https://localhost:7171", "http://localhost:7172", "null"] {
            assert!(from(Method::POST, wrong, false), "{wrong}");
            assert!(from(Method::GET, wrong, true), "{wrong}");
        }
    }
}
