//! An adb server that says what it is told to: states that a stand-in can't be brought into.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
};

/// Starts one that answers requests that begin so with these bytes, and gives its port. What it has no answer for waits.
pub(crate) fn server(answers: &'static [(&'static str, &'static str)]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut length = [0; 4];
                while stream.read_exact(&mut length).is_ok() {
                    let length = usize::from_str_radix(std::str::from_utf8(&length).unwrap(), 16).unwrap();
                    let mut request = vec![0; length];
                    stream.read_exact(&mut request).unwrap();
                    let request = String::from_utf8(request).unwrap();
                    let answer = answers.iter().find(|(start, _)| request.starts_with(start));
                    if let Some((_, answer)) = answer {
                        stream.write_all(answer.as_bytes()).unwrap();
                    }
                }
            });
        }
    });
    port
}
