//! The loop of an agent: the user prompts, the model answers and calls tools, reads what came of
//! them, and goes on until it calls none.

use std::borrow::Cow;
use std::io::{self, Write};

use extline_host::effects::DiffRecorder;
use extline_host::protocol::frame::{Content, EventPayload};
use extline_host::{Blocked, CallOptions, CommandOutcome, Host, Offer, ToolFilter};

use crate::model::{Message, ScriptedModel, ToolCall};
use crate::panel;
use crate::standing::Standing;

/// Model calls for one prompt, so that a model that goes in circles comes to an end.
const STEPS: u64 = 20;

pub(crate) struct Agent<'a, W> {
    pub(crate) host: &'a Host,
    pub(crate) model: ScriptedModel,
    /// What the model was offered last.
    pub(crate) offer: Offer,
    pub(crate) conversation: Vec<Message>,
    /// How many there were. Each is a task: what the host remembers of its calls ends with it.
    pub(crate) prompts: u64,
    pub(crate) standing: Standing,
    /// What became of files since the prompt.
    pub(crate) files: DiffRecorder,
    /// The user's screen.
    pub(crate) screen: W,
}

impl<W: Write> Agent<'_, W> {
    /// Acts on a line of the user's: a prompt, `/command args`, or keys for the panel that is open.
    pub(crate) async fn act_on(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.screen, "user: {line}")?;
        if let Some(panel) = self.host.panels().pop() {
            return panel::press(panel, line, &mut self.screen).await;
        }
        let Some(command) = line.strip_prefix('/') else { return self.prompt(line).await };
        let (name, args) = command.split_once(' ').unwrap_or((command, ""));
        match self.host.command(name, args.trim()).await {
            Ok(CommandOutcome::Prompt(prompt)) => {
                writeln!(self.screen, "/{name} prompts: {prompt}")?;
                self.prompt(&prompt).await
            }
            Ok(CommandOutcome::Display(text)) => writeln!(self.screen, "/{name} shows: {text}"),
            Ok(CommandOutcome::OpenPanel(panel)) => panel::draw(&panel.view(), &mut self.screen),
            Ok(CommandOutcome::Noop) => Ok(()),
            Ok(_) => writeln!(self.screen, "/{name} wants an editor; there is none here"),
            Err(error) => writeln!(self.screen, "/{name} failed: {error}"),
        }
    }

    async fn prompt(&mut self, prompt: &str) -> io::Result<()> {
        self.standing.set_busy(true);
        self.prompts += 1;
        let outcome = self.run_turn(prompt).await;
        self.host.end_task(&self.task());
        self.standing.set_busy(false);
        self.show_changes()?;
        outcome
    }

    /// What the calls of the prompt did to files of the project, for the user to see.
    fn show_changes(&mut self) -> io::Result<()> {
        for change in self.files.take_turn().changes {
            writeln!(
                self.screen,
                "changed {} by {}",
                change.path.display(),
                change.tools.join(", ")
            )?;
            for line in change.diff().unwrap_or_default().lines() {
                writeln!(self.screen, "  {line}")?;
            }
        }
        Ok(())
    }

    /// The prompt that the model is at.
    fn task(&self) -> String {
        format!("prompt-{}", self.prompts)
    }

    async fn run_turn(&mut self, prompt: &str) -> io::Result<()> {
        self.conversation.push(Message::User(prompt.to_owned()));
        for step in 1..=STEPS {
            match self.turn(step).await {
                Ok(calls) if calls.is_empty() => return Ok(()),
                Ok(calls) => {
                    for call in calls {
                        self.call(&call).await?;
                        if self.standing.is_aborted() {
                            return writeln!(self.screen, "the turn was ended");
                        }
                    }
                }
                Err(blocked) => return writeln!(self.screen, "{blocked}"),
            }
        }
        writeln!(self.screen, "gave up after {STEPS} model calls")
    }

    /// One call of the model: what it says is shown, the calls it wants are returned. Extensions
    /// that asked for it are asked first, and about the text before it counts.
    async fn turn(&mut self, step: u64) -> Result<Vec<ToolCall>, Blocked> {
        self.host.intercept_turn_start(step).await?;
        self.host.emit("turn_start", EventPayload { step: Some(step), ..EventPayload::default() });
        self.offer = self.host.offer(&ToolFilter::default());
        let tools: Vec<_> = self.offer.tools.iter().map(|tool| tool.name().to_owned()).collect();
        let mut reply = self.model.reply(&self.conversation, &tools);
        reply.text = self.host.intercept_assistant_message(&reply.text).await?;
        if !reply.text.is_empty() {
            let _ = writeln!(self.screen, "model: {}", reply.text);
        }
        // Broken JSON in its history would teach the model to write more of it.
        for call in &mut reply.calls {
            if let Ok(read) = self.host.read_args(&call.tool, &call.args) {
                read.args.get().clone_into(&mut call.args);
            }
        }
        let calls = reply.calls.clone();
        self.conversation.push(Message::Assistant(reply));
        Ok(calls)
    }

    /// Runs one tool call. Whatever goes wrong, bad arguments, a guard's block, a dead extension, is
    /// an answer too: the model reads it and can do better.
    async fn call(&mut self, call: &ToolCall) -> io::Result<()> {
        writeln!(self.screen, "model calls {} {}", call.tool, call.args)?;
        // What the model was not offered is not found.
        let options = CallOptions::default().offered(&self.offer).task(self.task());
        let answer = match self.host.start_call(&call.tool, &call.args, options).await {
            Ok(call) => call.outcome().await,
            Err(error) => Err(error),
        };
        let (text, is_error) = match &answer {
            Ok(result) => (text_of(&result.content), result.is_error),
            Err(error) => (error.to_string(), true),
        };
        writeln!(self.screen, "  {}: {text}", if is_error { "error" } else { "result" })?;
        // The model reads beside it what to do next, and what of it is nobody's order.
        let said = self.host.for_model(&call.tool, &answer);
        self.conversation.push(Message::Tool(text_of(&said.content)));
        Ok(())
    }
}

/// What the model gets; one that sees takes images as they are.
fn text_of(content: &[Content]) -> String {
    let block = |block: &Content| match block {
        Content::Text(text) => text.clone(),
        Content::Image { mime_type, .. } => format!("[image {mime_type}]"),
        block => block.plain().map_or_else(|| "[unknown block]".to_owned(), Cow::into_owned),
    };
    content.iter().map(block).collect::<Vec<_>>().join("\n")
}
