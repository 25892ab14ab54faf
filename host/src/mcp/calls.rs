//! One call of a server: its rounds of questions, its progress, its end.

use std::sync::Arc;

use extline_protocol::frame::{Action, CommandResponse, ErrorInfo, ToolCall, ToolResult};
use extline_protocol::{CallKey, ErrorKind, Id};
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest,
    GetPromptRequestParams, InputRequest, InputRequiredResult, InputResponses, JsonObject,
    PromptArgument, ReadResourceRequest, ReadResourceRequestParams, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, ServiceError};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::client::{OpenCalls, roots};
use super::content::{cut, prompt_of, resource_of, resources_of, result_of};
use super::offers::Called;
use super::questions::elicit;
use super::task::Word;

/// How often a server may ask something in one call.
const ROUNDS: usize = 16;

/// All that a call needs.
pub(super) struct Caller {
    pub(super) server: Arc<str>,
    pub(super) peer: Peer<RoleClient>,
    pub(super) calls: Arc<OpenCalls>,
    pub(super) say: mpsc::Sender<Word>,
    pub(super) cwd: std::path::PathBuf,
    pub(super) key: CallKey,
    /// Somebody does not want the answer any more, and why.
    pub(super) cancelled: oneshot::Receiver<String>,
}

/// Why a call has no answer.
enum Failure {
    /// The server is gone, which the host tells.
    Gone,
    Error(ErrorInfo),
}

impl Caller {
    pub(super) async fn tool(mut self, called: Called, call: ToolCall) {
        let word = match self.answer_of_tool(called, &call).await {
            Ok(result) => Word::Tool(self.key, Box::new(result)),
            Err(Failure::Error(error)) => {
                let result = ToolResult::error(Id::from(""), error);
                let trust = Some("untrusted".to_owned());
                Word::Tool(self.key, Box::new(ToolResult { trust, ..result }))
            }
            Err(Failure::Gone) => Word::Forgotten(self.key),
        };
        drop(self.say.send(word).await);
    }

    async fn answer_of_tool(
        &mut self,
        called: Called,
        call: &ToolCall,
    ) -> Result<ToolResult, Failure> {
        let arguments: JsonObject = call.args.to().map_err(|error| wrong(error.to_string()))?;
        match called {
            Called::Tool(name) => {
                let result = self.rounds(|input_responses, request_state| {
                    let mut params =
                        CallToolRequestParams::new(name.clone()).with_arguments(arguments.clone());
                    params.input_responses = input_responses;
                    params.request_state = request_state;
                    ClientRequest::CallToolRequest(CallToolRequest::new(params))
                });
                match result.await? {
                    ServerResult::CallToolResult(result) => Ok(result_of(&self.server, result)),
                    ServerResult::CreateTaskResult(_) => {
                        Err(unusable("a task, which is not asked after"))
                    }
                    _ => Err(unusable("something else than a result")),
                }
            }
            Called::Resource => match arguments.get("uri").and_then(Value::as_str) {
                None => {
                    let listed = self.peer.list_resources(None).await.map_err(failure_of)?;
                    Ok(resources_of(&self.server, &listed.resources))
                }
                Some(uri) => {
                    let result = self.rounds(|input_responses, request_state| {
                        let mut params = ReadResourceRequestParams::new(uri);
                        params.input_responses = input_responses;
                        params.request_state = request_state;
                        ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params))
                    });
                    match result.await? {
                        ServerResult::ReadResourceResult(result) => {
                            Ok(resource_of(&self.server, result))
                        }
                        _ => Err(unusable("something else than a resource")),
                    }
                }
            },
        }
    }

    pub(super) async fn prompt(
        mut self,
        name: String,
        arguments: Vec<PromptArgument>,
        words: String,
    ) {
        let mut response = CommandResponse::new(Id::from(""), Action::Prompt);
        match self.text_of_prompt(name, &arguments, &words).await {
            Ok(text) => response.prompt = Some(text),
            Err(Failure::Error(error)) => {
                response = CommandResponse::error(Id::from(""), error.message);
            }
            Err(Failure::Gone) => {
                drop(self.say.send(Word::Forgotten(self.key)).await);
                return;
            }
        }
        drop(self.say.send(Word::Command(self.key, Box::new(response))).await);
    }

    async fn text_of_prompt(
        &mut self,
        name: String,
        arguments: &[PromptArgument],
        words: &str,
    ) -> Result<String, Failure> {
        let arguments = arguments_of(arguments, words).map_err(wrong)?;
        let result = self.rounds(|input_responses, request_state| {
            let mut params =
                GetPromptRequestParams::new(name.clone()).with_arguments(arguments.clone());
            params.input_responses = input_responses;
            params.request_state = request_state;
            ClientRequest::GetPromptRequest(GetPromptRequest::new(params))
        });
        match result.await? {
            ServerResult::GetPromptResult(result) => Ok(prompt_of(result)),
            _ => Err(unusable("something else than a prompt")),
        }
    }

    /// Asks until there is an answer: a server without a handshake asks its questions in place of one.
    async fn rounds(
        &mut self,
        request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
    ) -> Result<ServerResult, Failure> {
        let (mut responses, mut state) = (None, None);
        for _ in 0..ROUNDS {
            match self.once(request(responses, state)).await? {
                ServerResult::InputRequiredResult(asked) => {
                    let InputRequiredResult { input_requests, request_state, .. } = asked;
                    let mut answers = InputResponses::new();
                    for (name, question) in input_requests.into_iter().flatten() {
                        answers.insert(name, self.answer_to(question).await?);
                    }
                    (responses, state) = (Some(answers), request_state);
                }
                answer => return Ok(answer),
            }
        }
        Err(unusable(&format!("more than {ROUNDS} questions")))
    }

    async fn answer_to(&mut self, question: InputRequest) -> Result<Value, Failure> {
        let answer = match question {
            InputRequest::Elicitation(request) => {
                let asking = elicit(&self.say, Some(&self.key), request.params);
                tokio::select! {
                    answer = asking => serde_json::to_value(answer),
                    reason = &mut self.cancelled => return Err(cancelled(reason.as_deref().unwrap_or_default())),
                }
            }
            InputRequest::ListRoots(_) => serde_json::to_value(roots(&self.cwd)),
            _ => return Err(unusable("a wish to use the model, which is declined")),
        };
        answer.map_err(|error| wrong(error.to_string()))
    }

    /// Sends a request and waits for its answer, or until nobody wants it.
    async fn once(&mut self, request: ClientRequest) -> Result<ServerResult, Failure> {
        let mut handle = {
            // Progress that comes at once waits for the name of its call.
            let mut calls = self.calls.0.lock().await;
            let sent =
                self.peer.send_request_with_option(request, PeerRequestOptions::no_options());
            let handle = sent.await.map_err(failure_of)?;
            calls.insert(handle.progress_token.clone(), self.key.clone());
            handle
        };
        let token = handle.progress_token.clone();
        let answer = tokio::select! {
            answer = &mut handle.rx => match answer {
                Ok(answer) => answer.map_err(failure_of),
                Err(_) => Err(Failure::Gone),
            },
            reason = &mut self.cancelled => {
                let reason = reason.unwrap_or_default();
                // Whoever cancelled does not wait until a server at a URL has heard of it.
                let told = Some(reason.clone());
                tokio::spawn(async move { handle.cancel(told).await });
                Err(cancelled(&reason))
            }
        };
        self.calls.0.lock().await.remove(&token);
        answer
    }
}

/// What stands behind a command, for the arguments in their order: `name=value`, else a word each, and to the last one
/// all that is left.
fn arguments_of(arguments: &[PromptArgument], words: &str) -> Result<JsonObject, String> {
    let mut given = JsonObject::new();
    let mut rest = words.trim();
    let named = |word: &str| {
        let (name, value) = word.split_once('=')?;
        arguments.iter().any(|it| it.name == name).then(|| (name.to_owned(), value.to_owned()))
    };
    while !rest.is_empty() {
        let (word, behind) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if let Some((name, value)) = named(word) {
            given.insert(name, value.into());
            rest = behind.trim_start();
            continue;
        }
        let mut open = arguments.iter().filter(|it| !given.contains_key(&it.name));
        let Some(argument) = open.next() else {
            return Err(format!("there is no argument left for {:?}", cut(rest)));
        };
        if open.next().is_none() {
            given.insert(argument.name.clone(), rest.into());
            rest = "";
        } else {
            given.insert(argument.name.clone(), word.into());
            rest = behind.trim_start();
        }
    }
    let is_missing =
        |it: &&PromptArgument| it.required == Some(true) && !given.contains_key(&it.name);
    match arguments.iter().find(is_missing) {
        Some(missing) => Err(format!("the argument {} is missing", missing.name)),
        None => Ok(given),
    }
}

fn cancelled(reason: &str) -> Failure {
    let reason = if reason.is_empty() { "cancelled" } else { reason };
    Failure::Error(ErrorInfo::new(ErrorKind::Cancelled, reason))
}

fn wrong(why: String) -> Failure {
    Failure::Error(ErrorInfo::new(ErrorKind::Validation, why))
}

fn unusable(what: &str) -> Failure {
    Failure::Error(ErrorInfo::new(ErrorKind::Protocol, format!("the server answered with {what}")))
}

fn failure_of(error: ServiceError) -> Failure {
    match error {
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Failure::Gone,
        ServiceError::TransportSend(error) => {
            let message = format!("the server cannot be reached: {}", cut(&error.to_string()));
            Failure::Error(ErrorInfo::new(ErrorKind::Transient, message))
        }
        ServiceError::McpError(error) => {
            let kind = match error.code.0 {
                -32602 => ErrorKind::Validation,
                -32601 | -32021 => ErrorKind::Unsupported,
                -32002 => ErrorKind::NotFound,
                _ => ErrorKind::Internal,
            };
            let message = format!(
                "the server answered with the error {}: {}",
                error.code.0,
                cut(&error.message)
            );
            Failure::Error(ErrorInfo::new(kind, message))
        }
        error => Failure::Error(ErrorInfo::new(ErrorKind::Protocol, cut(&error.to_string()))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_arguments_in_their_order_or_by_name() {
        let arguments =
            ["city", "style"].map(|name| PromptArgument::new(name).with_required(name == "city"));
        let found = |words| arguments_of(&arguments, words).map(Value::from);
        assert_eq!(
            found("Berlin in two lines"),
            Ok(json!({"city": "Berlin", "style": "in two lines"}))
        );
        assert_eq!(
            found(" style=short Rio de Janeiro"),
            Ok(json!({"city": "Rio de Janeiro", "style": "short"}))
        );
        assert_eq!(found("style=short"), Err("the argument city is missing".to_owned()));
        assert_eq!(arguments_of(&[], "x"), Err("there is no argument left for \"x\"".to_owned()));
    }
}
