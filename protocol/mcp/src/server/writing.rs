//! Lines for the client.

use extline_protocol::write_string;

use super::Server;
use crate::entry::push_key;
use crate::failure::Failure;
use crate::message::RequestId;
use crate::revision::Revision;

/// The key in `_meta` that names a stream, as JSON.
pub(super) const SUBSCRIPTION_ID: &str = "\"io.modelcontextprotocol/subscriptionId\"";

/// How long a client of the modern era may keep a list, in milliseconds. A stream tells it of changes.
const TIME_TO_LIVE: u32 = 60_000;

impl Server {
    /// Appends the line of an error; without an id where it cannot be known.
    pub(super) fn fail(&mut self, id: Option<&RequestId>, failure: &Failure) {
        self.out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        self.out.extend_from_slice(id.map_or("null", RequestId::json).as_bytes());
        self.out.extend_from_slice(b",\"error\":");
        failure.write(&mut self.out);
        self.out.extend_from_slice(b"}\n");
    }

    /// Appends the line of a notification, with the JSON text of its parameters.
    pub(super) fn notify(&mut self, method: &str, params: &str) {
        self.out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
        write_string(method, &mut self.out);
        if !params.is_empty() {
            push_key(&mut self.out, "params");
            self.out.extend_from_slice(params.as_bytes());
        }
        self.out.extend_from_slice(b"}\n");
    }

    /// Begins a result; its members follow, each behind [`Server::separate`].
    pub(super) fn begin_result(&mut self, id: &RequestId, revision: Revision) {
        self.out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        self.out.extend_from_slice(id.json().as_bytes());
        self.out.extend_from_slice(b",\"result\":{");
        if revision.is_modern() {
            self.out.extend_from_slice(b"\"resultType\":\"complete\"");
        }
    }

    /// Begins a result of the modern era that is of another type.
    pub(super) fn begin_result_of(&mut self, id: &RequestId, kind: &str) {
        let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{", id.json());
        self.out.extend_from_slice(head.as_bytes());
        self.out.extend_from_slice(format!("\"resultType\":\"{kind}\"").as_bytes());
    }

    /// Ends a result.
    pub(super) fn end_result(&mut self) {
        self.out.extend_from_slice(b"}}\n");
    }

    /// Appends a comma where a member stands before.
    pub(super) fn separate(&mut self) {
        if self.out.last() != Some(&b'{') {
            self.out.push(b',');
        }
    }

    /// Appends `_meta` with the members of `own`, and who answers where the modern era wants that.
    pub(super) fn push_meta(&mut self, revision: Revision, own: &str) {
        let meta = self.meta(revision, own);
        if !meta.is_empty() {
            self.separate();
            self.out.extend_from_slice(b"\"_meta\":{");
            self.out.extend_from_slice(meta.as_bytes());
            self.out.push(b'}');
        }
    }

    /// The members of a result's `_meta`.
    pub(super) fn meta(&self, revision: Revision, own: &str) -> String {
        if !revision.is_modern() {
            return own.to_owned();
        }
        let mut meta = own.as_bytes().to_vec();
        if !own.is_empty() {
            meta.push(b',');
        }
        meta.extend_from_slice(b"\"io.modelcontextprotocol/serverInfo\":");
        self.write_info(&mut meta);
        String::from_utf8_lossy(&meta).into_owned()
    }

    /// Appends who the server is.
    pub(super) fn write_info(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"name\":");
        write_string(&self.config.name, out);
        if let Some(title) = &self.config.title {
            push_key(out, "title");
            write_string(title, out);
        }
        push_key(out, "version");
        write_string(&self.config.version, out);
        out.push(b'}');
    }

    /// Appends what is offered, as `initialize` and `server/discover` answer it.
    pub(super) fn push_capabilities(&mut self, revision: Revision) {
        self.separate();
        self.out.extend_from_slice(b"\"capabilities\":{");
        if !revision.is_modern() {
            self.out.extend_from_slice(b"\"logging\":{},");
        }
        if self.catalogue.has_prompts() {
            self.out.extend_from_slice(b"\"prompts\":{\"listChanged\":true},");
        }
        self.out.extend_from_slice(b"\"tools\":{\"listChanged\":true}}");
    }

    /// Appends how long the answer may be kept, which the modern era wants to know.
    pub(super) fn push_time_to_live(&mut self, revision: Revision) {
        if revision.is_modern() {
            let text = format!(",\"ttlMs\":{TIME_TO_LIVE},\"cacheScope\":\"private\"");
            self.out.extend_from_slice(text.as_bytes());
        }
    }
}
