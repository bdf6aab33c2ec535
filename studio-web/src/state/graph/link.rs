//! Links to a place in a graph: `#graph=decode/layer%203/attention`.

const HEAD: &str = "#graph=";

/// The part of an address that leads to a path of a function.
#[must_use]
pub fn hash(function: &str, path: &str) -> String {
    let mut hash = HEAD.to_owned();
    let slash = if path.is_empty() { "" } else { "/" };
    for byte in format!("{function}{slash}{path}").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b'@' | b':' => {
                hash.push(byte as char);
            }
            _ => hash.push_str(&format!("%{byte:02X}")),
        }
    }
    hash
}

/// The function and the path in it that an address leads to, if it leads into a graph.
#[must_use]
pub fn parse(hash: &str) -> Option<(String, String)> {
    let rest = hash.strip_prefix(HEAD)?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((&byte, after)) = left.split_first() {
        left = after;
        let code = after
            .get(..2)
            .filter(|_| byte == b'%')
            .and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                left = &after[2..];
            }
            None => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let (function, path) = text.split_once('/').unwrap_or((&text, ""));
    Some((function.to_owned(), path.to_owned()))
}
