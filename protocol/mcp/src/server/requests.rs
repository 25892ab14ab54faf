//! What a client asks for, method by method.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Instant;

use extline_protocol::{Line, Members, RawJson, model_args, read_string, write_string};

use super::open::{Asked, Progress};
use super::{Server, ServerEvent};
use crate::catalogue::{Catalogue, Page};
use crate::elicits::Elicits;
use crate::entry::{Entry, push_key};
use crate::failure::{Code, Failure, cut, write_revisions};
use crate::level::McpLevel;
use crate::message::{Message, Meta, Params, RequestId};
use crate::prompt::ARGUMENT;
use crate::revision::Revision;

impl Server {
    pub(super) fn handle_line(&mut self, line: &Line<'_>, now: Instant) {
        match Message::read(line) {
            Message::Request { id, method, params } => {
                if let Err(failure) = self.handle_request(&id, &method, &params, now) {
                    self.fail(Some(&id), &failure);
                }
            }
            Message::Notification { method, params } => self.handle_notification(&method, &params),
            Message::Answer { id, answer } => self.take_answer(&id, answer),
            Message::Unusable { id, failure } => self.fail(id.as_ref(), &failure),
        }
    }

    fn handle_request(
        &mut self,
        id: &RequestId,
        method: &str,
        params: &Params<'_>,
        now: Instant,
    ) -> Result<(), Failure> {
        if self.open.find(id).is_some() || self.streams.has(id) {
            return Err(Failure::invalid_request(format!("the id {} is in use", cut(id.json()))));
        }
        params.check()?;
        let meta = params.meta();
        let named = meta.revision()?;
        let revision = named.or(self.session).unwrap_or(Revision::NEWEST_LEGACY);
        match (method, revision.is_modern()) {
            ("tools/call", _) => self.call_tool(id, params, &meta, revision, now)?,
            ("tools/list", _) => self.list(id, params, revision, "tools", Catalogue::tools_page)?,
            ("prompts/list", _) if self.catalogue.has_prompts() => {
                self.list(id, params, revision, "prompts", Catalogue::prompts_page)?;
            }
            ("prompts/get", _) if self.catalogue.has_prompts() => {
                self.get_prompt(id, params, &meta, revision, now)?;
            }
            ("initialize", false) => self.initialize(id, params)?,
            ("ping", false) => {
                self.begin_result(id, revision);
                self.end_result();
            }
            ("logging/setLevel", false) => self.set_level(id, params, revision)?,
            ("server/discover", true) => self.discover(id, revision),
            ("subscriptions/listen", true) => self.start_listening(id, params)?,
            ("server/discover" | "subscriptions/listen", false) => {
                let name = "io.modelcontextprotocol/protocolVersion";
                return Err(Failure::invalid_params(format!("params._meta has to name {name}")));
            }
            _ => return Err(Failure::no_method(method)),
        }
        Ok(())
    }

    fn handle_notification(&mut self, method: &str, params: &Params<'_>) {
        match method {
            "notifications/initialized" => self.is_initialized = self.session.is_some(),
            "notifications/cancelled" => self.cancel(params),
            // Others mean nothing here.
            _ => {}
        }
    }

    fn cancel(&mut self, params: &Params<'_>) {
        let Some(id) = params.raw("requestId").and_then(RequestId::read) else { return };
        if self.streams.remove(&id) {
            return;
        }
        let Some(key) = self.open.find(&id) else { return };
        self.withdraw_below(key);
        self.open.close(key);
        let reason = params.string("reason").ok().flatten().map(Cow::into_owned);
        self.events.push_back(ServerEvent::Cancelled { key, reason });
        self.close_if_done();
    }
}

/// The handshakes.
impl Server {
    fn initialize(&mut self, id: &RequestId, params: &Params<'_>) -> Result<(), Failure> {
        let revision = Revision::negotiated(&params.needed("protocolVersion")?);
        self.session = Some(revision);
        self.elicits = Elicits::of(params.raw("capabilities"), revision);
        self.begin_result(id, revision);
        self.out.extend_from_slice(b"\"protocolVersion\":");
        write_string(revision.as_str(), &mut self.out);
        self.push_capabilities(revision);
        let mut info = Vec::new();
        self.write_info(&mut info);
        push_key(&mut self.out, "serverInfo");
        self.out.append(&mut info);
        self.push_instructions();
        self.end_result();
        Ok(())
    }

    fn discover(&mut self, id: &RequestId, revision: Revision) {
        self.begin_result(id, revision);
        self.separate();
        self.out.extend_from_slice(b"\"supportedVersions\":");
        write_revisions(&mut self.out);
        self.push_capabilities(revision);
        self.push_instructions();
        self.push_time_to_live(revision);
        self.push_meta(revision, "");
        self.end_result();
    }

    fn push_instructions(&mut self) {
        if let Some(instructions) = self.config.instructions.clone() {
            push_key(&mut self.out, "instructions");
            write_string(&instructions, &mut self.out);
        }
    }

    fn set_level(
        &mut self,
        id: &RequestId,
        params: &Params<'_>,
        revision: Revision,
    ) -> Result<(), Failure> {
        let name = params.needed("level")?;
        let level = McpLevel::named(&name);
        self.log_level = level
            .ok_or_else(|| Failure::invalid_params(format!("there is no level {}", cut(&name))))?;
        self.begin_result(id, revision);
        self.end_result();
        Ok(())
    }

    fn start_listening(&mut self, id: &RequestId, params: &Params<'_>) -> Result<(), Failure> {
        let missing = || Failure::invalid_params("params.notifications has to be an object");
        let filter = params.raw("notifications").and_then(Members::of_valid).ok_or_else(missing)?;
        if self.streams.is_full() {
            return Err(Failure::new(
                Code::Internal,
                "too many subscriptions are open: cancel one",
            ));
        }
        let wants = |name: &str| filter.last(name).is_some_and(|member| member.value == "true");
        let (tools, prompts) = (wants("toolsListChanged"), wants("promptsListChanged"));
        self.listen(id.clone(), tools, prompts);
        Ok(())
    }
}

/// Tools and prompts.
impl Server {
    /// Answers with the page that is asked for, of the list of that name.
    fn list(
        &mut self,
        id: &RequestId,
        params: &Params<'_>,
        revision: Revision,
        name: &str,
        page: for<'a> fn(&'a Catalogue, Option<&str>) -> Result<Page<'a>, Failure>,
    ) -> Result<(), Failure> {
        let cursor = params.string("cursor")?;
        let page = page(&self.catalogue, cursor.as_deref())?;
        let (list, next) = (page.entries.join(","), page.next);
        self.begin_result(id, revision);
        self.separate();
        write_string(name, &mut self.out);
        self.out.extend_from_slice(b":[");
        self.out.extend_from_slice(list.as_bytes());
        self.out.push(b']');
        if let Some(next) = next {
            push_key(&mut self.out, "nextCursor");
            write_string(&next.to_string(), &mut self.out);
        }
        self.push_time_to_live(revision);
        self.push_meta(revision, "");
        self.end_result();
        Ok(())
    }

    fn call_tool(
        &mut self,
        id: &RequestId,
        params: &Params<'_>,
        meta: &Meta<'_>,
        revision: Revision,
        now: Instant,
    ) -> Result<(), Failure> {
        let name = params.needed("name")?;
        let unknown = || Failure::invalid_params(format!("unknown tool {}", cut(&name)));
        let tool = Arc::clone(self.catalogue.tool(&name).ok_or_else(unknown)?);
        let args = match params.raw("arguments") {
            Some(args) => {
                model_args(args).map_err(|error| Failure::invalid_params(error.to_string()))?
            }
            None => RawJson::empty_object(),
        };
        let name = tool.name.clone();
        let asked = self.asked(id, meta, revision, now, Some(tool));
        let what = || format!("{name} {}", args.get());
        if params.raw("requestState").is_some() && revision.is_modern() {
            return self.resume(id, params, meta, &what(), now);
        }
        let what = asked.may_be_suspended().then(|| what().into());
        let key = self.open.insert(Asked { what, ..asked });
        self.events.push_back(ServerEvent::CallTool { key, name, args });
        Ok(())
    }

    fn get_prompt(
        &mut self,
        id: &RequestId,
        params: &Params<'_>,
        meta: &Meta<'_>,
        revision: Revision,
        now: Instant,
    ) -> Result<(), Failure> {
        let name = params.needed("name")?;
        let unknown = || Failure::invalid_params(format!("unknown prompt {}", cut(&name)));
        let name = self.catalogue.prompt(&name).ok_or_else(unknown)?.to_owned();
        let args = prompt_args(params)?;
        let asked = self.asked(id, meta, revision, now, None);
        let what = || format!("/{name} {args}");
        if params.raw("requestState").is_some() && revision.is_modern() {
            return self.resume(id, params, meta, &what(), now);
        }
        let what = asked.may_be_suspended().then(|| what().into());
        let key = self.open.insert(Asked { what, ..asked });
        self.events.push_back(ServerEvent::GetPrompt { key, name, args });
        Ok(())
    }

    fn asked(
        &self,
        id: &RequestId,
        meta: &Meta<'_>,
        revision: Revision,
        now: Instant,
        tool: Option<Arc<Entry>>,
    ) -> Asked {
        let progress = meta.progress_token.map(|token| Progress::new(token, now));
        let elicits = if revision.is_modern() {
            Elicits::of(meta.capabilities, revision)
        } else {
            self.elicits
        };
        let id = id.clone();
        Asked { id, revision, tool, progress, elicits, what: None, suspended: None }
    }
}

impl Asked {
    /// Whether its client may have to come back to it.
    fn may_be_suspended(&self) -> bool {
        self.revision.is_modern() && self.elicits != Elicits::default()
    }
}

/// What would be typed behind the command.
fn prompt_args(params: &Params<'_>) -> Result<String, Failure> {
    let Some(arguments) = params.raw("arguments") else { return Ok(String::new()) };
    let no_object = || Failure::invalid_params("params.arguments has to be an object");
    let members = Members::of_valid(arguments).ok_or_else(no_object)?;
    if let Some(other) = members.iter().find(|member| !member.is(ARGUMENT)) {
        let other = cut(&other.key());
        return Err(Failure::invalid_params(format!(
            "the prompt has the argument {ARGUMENT}, and not {other}"
        )));
    }
    let Some(args) = members.last(ARGUMENT) else { return Ok(String::new()) };
    let no_string =
        || Failure::invalid_params(format!("params.arguments.{ARGUMENT} has to be a string"));
    Ok(read_string(args.value).ok_or_else(no_string)?.into_owned())
}
