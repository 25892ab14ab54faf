//! What a person should know, on stderr, where a host keeps it in a log.

use std::io::{self, Write};

/// Writes one line. What would break it into several is escaped.
pub fn report(message: &str) {
    let message = message.replace('\r', "\\r").replace('\n', "\\n");
    // One write, so that lines of several threads do not mix; a closed stderr is no reason to fail.
    let _ = io::stderr().write_all(format!("extline: {message}\n").as_bytes());
}
