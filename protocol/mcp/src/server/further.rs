//! Servers for further clients, and messages that come whole: what a transport with many clients needs.

use std::time::Instant;

use extline_protocol::Line;

use super::Server;
use crate::revision::Revision;

impl Server {
    /// A server for another client, which has asked for nothing yet. It says of itself what this one says,
    /// and offers what this one offers now.
    ///
    /// ```
    /// use std::time::Instant;
    /// use extline_mcp::Server;
    ///
    /// let now = Instant::now();
    /// let mut first = Server::new();
    /// first.ready(now);
    /// let mut second = first.another();
    /// second.handle_message("{\"jsonrpc\":\"2.0\",\n\"id\":1,\"method\":\"ping\"}", now);
    /// assert!(second.has_output() && !first.has_output());
    /// ```
    #[must_use]
    pub fn another(&self) -> Self {
        Self {
            config: self.config.clone(),
            catalogue: self.catalogue.clone(),
            is_ready: self.is_ready,
            signer: self.signer.clone(),
            ..Self::new()
        }
    }

    /// The revision of the session that `initialize` began, if it did.
    pub fn session(&self) -> Option<Revision> {
        self.session
    }

    /// Takes one message of the client's that came whole, as HTTP brings it. Unlike a line it may have line
    /// ends between its tokens.
    pub fn handle_message(&mut self, message: &str, now: Instant) {
        self.take(&Line::Text(message.into()), now);
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::frame::RegisterTool;

    use super::*;
    use crate::ServerEvent;

    fn server() -> Server {
        let mut server = Server::new();
        server
            .add_tool(&RegisterTool { name: "time".to_owned(), ..RegisterTool::default() })
            .unwrap();
        server.ready(Instant::now());
        server
    }

    #[test]
    fn another_server_offers_the_same_and_shares_nothing_else() {
        let now = Instant::now();
        let mut first = server();
        first.handle_message(
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"time"}}"#,
            now,
        );
        let mut second = first.another();
        assert_eq!(second.poll_event(), None);
        assert_eq!(second.tool_names().collect::<Vec<_>>(), ["time"]);
        // The id is in use with the first client alone.
        second.handle_message(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, now);
        let mut out = Vec::new();
        second.poll_output(&mut out);
        assert_eq!(String::from_utf8_lossy(&out), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    }

    #[test]
    fn line_ends_between_the_tokens_of_a_message_reach_nobody() {
        let mut server = server();
        let message = "{\n  \"jsonrpc\": \"2.0\",\r\n  \"id\": 1,\n  \"method\": \"tools/call\",\n  \
                       \"params\": {\"name\": \"time\", \"arguments\": {\n\"zone\": \"a\\nb\"\n}}\n}\n";
        server.handle_message(message, Instant::now());
        let Some(ServerEvent::CallTool { args, .. }) = server.poll_event() else { panic!() };
        assert_eq!(args.get(), r#"{"zone": "a\nb"}"#);
    }
}
