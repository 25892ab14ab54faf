//! A mock: what an extension says, by a script, without the extension. Hosts and agents are tested
//! against it.
//!
//! A script comes from a trace, whose extension's side is played again, or from cases, whose `line`
//! steps are what a host asks and whose `frame` and `expect` steps are what it is answered.

mod build;
mod cases;
mod frame;
mod live;
mod queue;
mod script;
mod server;

use std::io::{Read, Write};

use extline_protocol::trace;

use self::build::Builder;
pub use self::queue::{QueueReceiver, QueueSender, queue};
use self::script::{Ending, Script};
use self::server::MockServer;
use crate::case::Case;
use crate::traces::protocol_of;

/// An extension that says what its scripts say.
#[derive(Debug, Default)]
pub struct Mock {
    scripts: Vec<Script>,
    /// How it ends when it is told to.
    ending: Option<Ending>,
    /// A trace is among its sources: what the extension registers is known.
    is_recorded: bool,
    /// It is a server of MCP instead.
    server: Option<MockServer>,
}

/// How a mock ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// As a process that exits.
    Status(i32),
    /// As one that this signal ended, as `SIGSEGV`.
    Signal(String),
}

impl Mock {
    /// Adds what the first process of a trace said. The records must be those of one extension;
    /// `file` is what the trace is called. `Err` says why it cannot be played.
    pub fn add_trace(&mut self, file: &str, trace: &[trace::Record]) -> Result<(), String> {
        if protocol_of(trace).era().is_some() {
            if !self.scripts.is_empty() {
                return Err(format!("{file}: it is of MCP, and the files before are not"));
            }
            return self.server.get_or_insert_default().add(file, trace);
        }
        self.refuse_beside_server(file)?;
        let mut builder = Builder::new(file);
        builder.record(trace)?;
        self.is_recorded = true;
        self.add(builder);
        Ok(())
    }

    /// Adds what cases ask and what they expect. `Err` says which step has no meaning here.
    pub fn add_cases(&mut self, file: &str, cases: &[Case]) -> Result<(), String> {
        self.refuse_beside_server(file)?;
        let mut builder = Builder::new(file);
        for case in cases {
            cases::build(case, &mut builder)?;
        }
        self.add(builder);
        Ok(())
    }

    fn refuse_beside_server(&self, file: &str) -> Result<(), String> {
        match self.server {
            Some(_) => Err(format!("{file}: the files before are of MCP, and it is not")),
            None => Ok(()),
        }
    }

    fn add(&mut self, builder: Builder) {
        let (scripts, ending) = builder.done();
        self.scripts.extend(scripts);
        self.ending = self.ending.or(ending);
    }

    /// Speaks to a host until it is told to end, or `input` is closed, or a script ends it. `tell`
    /// gets what no script has an answer for. `name` is what it is called where no script says so.
    pub fn run(
        mut self,
        name: &str,
        input: impl Read + Send + 'static,
        output: impl Write,
        tell: impl FnMut(&str),
    ) -> Ended {
        if let Some(server) = self.server {
            return server.run(input, output, tell);
        }
        if !self.is_recorded {
            cases::complete(&mut self.scripts, name);
        }
        let ending = self.ending.unwrap_or(Ending::Status(0));
        live::run(self.scripts, ending, input, output, tell)
    }
}
