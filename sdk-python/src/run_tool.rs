//! One call of a tool: its arguments, its handler, its answer.

use std::sync::Arc;
use std::thread;
use std::time::Instant;

use extline_driver::running;
use extline_protocol::frame::{ErrorInfo, ToolCall, ToolResult};
use extline_protocol::{CallKey, ErrorKind, RawJson};
use pyo3::exceptions::{PyKeyboardInterrupt, PyStopIteration};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::answer::answer;
use crate::call::Call;
use crate::context::Context;
use crate::core::Core;
use crate::failure;
use crate::imports;
use crate::stuck;
use crate::tool::Tool;
use extline_python_json::load_object;

/// Why a handler was not called, or how it failed.
pub(crate) enum Failed {
    Arguments(Box<ErrorInfo>),
    Raised(PyErr),
    /// What it returned is no result.
    Unsent(PyErr),
}

impl From<PyErr> for Failed {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl Core {
    /// Runs the handler here, and answers. The tool, for what is to be remembered of it.
    pub(crate) fn run_tool(
        self: &Arc<Self>,
        py: Python<'_>,
        key: &CallKey,
        call: ToolCall,
        deadline: Option<Instant>,
    ) -> Option<Arc<Tool>> {
        let Some(tool) = self.tool(&call.name) else {
            // Registered when it came, and taken back while it waited.
            let error = ErrorInfo::unknown_tool(&call.name);
            self.reply(key, ToolResult::error(key.id().clone(), error));
            return None;
        };
        if let Some(looped) = self.looped.get() {
            self.begin_tool(py, looped, &tool, key, call, deadline);
            return None;
        }
        stuck::enter(py, [&tool.label, ""], Some(key.serial()));
        let outcome = if tool.context.is_some() || tool.is_generator {
            self.call_with_context(py, &tool, key, call, deadline)
        } else {
            keywords(py, &tool, &call.args).and_then(|keywords| {
                let returned = tool.function.bind(py).call((), Some(&keywords))?;
                answer(&returned).map_err(Failed::Unsent)
            })
        };
        let result = match outcome {
            Ok(result) => result,
            Err(failed) => self.failed(py, &failed, &tool),
        };
        running::leave();
        self.reply(key, result);
        Some(tool)
    }

    fn call_with_context(
        self: &Arc<Self>,
        py: Python<'_>,
        tool: &Tool,
        key: &CallKey,
        call: ToolCall,
        deadline: Option<Instant>,
    ) -> Result<ToolResult, Failed> {
        let keywords = keywords(py, tool, &call.args)?;
        let running = Call::new(Some(key.clone()));
        let _entry = self.running.add(&running);
        self.see_early_cancel(&running);
        let context = Context::new(self, Arc::clone(&running), deadline, call.session);
        let context = context.with_args(call.args);
        let context = Bound::new(py, context)?;
        if let Some(name) = &tool.context {
            keywords.set_item(name, &context)?;
        }
        let returned = tool.function.bind(py).call((), Some(&keywords))?;
        if !tool.is_generator {
            return answer(&returned).map_err(Failed::Unsent);
        }
        loop {
            match returned.call_method0(intern!(py, "__next__")) {
                Ok(update) => context.get().show(&update)?,
                Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
                    let returned = error.value(py).getattr("value")?;
                    if returned.is_none() && !running.is_cancelled() {
                        return Err(imports::no_answer(py)?
                            .call1((&tool.function,))
                            .map_or_else(Failed::Raised, |mistake| {
                                Failed::Raised(PyErr::from_value(mistake))
                            }));
                    }
                    return answer(&returned).map_err(Failed::Unsent);
                }
                Err(error) => return Err(error.into()),
            }
            if running.is_cancelled() {
                returned.call_method0("close")?;
                return Ok(cancelled());
            }
        }
    }

    /// Python raises `KeyboardInterrupt` there alone; elsewhere the author did.
    fn is_main_thread(&self, py: Python<'_>) -> bool {
        if let Some(main) = self.main_thread.get() {
            return *main == thread::current().id();
        }
        let is_main = || -> PyResult<bool> {
            let threading = py.import("threading")?;
            let main = threading.call_method0("main_thread")?;
            Ok(threading.call_method0("current_thread")?.is(&main))
        };
        is_main().unwrap_or(true)
    }

    /// The answer to a call that failed. Ctrl-C ends the extension too.
    pub(crate) fn failed(&self, py: Python<'_>, failed: &Failed, tool: &Tool) -> ToolResult {
        match failed {
            Failed::Unsent(error) => failure::of_unsent(py, error, tool),
            Failed::Arguments(info) => ToolResult::error("".into(), ErrorInfo::clone(info)),
            Failed::Raised(error) => {
                if error.is_instance_of::<PyKeyboardInterrupt>(py) && self.is_main_thread(py) {
                    self.interrupt(error.clone_ref(py));
                }
                failure::of_tool(py, error, tool.name())
            }
        }
    }

    pub(crate) fn reply(&self, key: &CallKey, result: ToolResult) {
        // It fails for a call that the session has answered in the handler's place, at shutdown.
        let _ = self.channel().session.reply_tool(key, result);
    }
}

/// The arguments as they are passed to the function.
pub(crate) fn keywords<'py>(
    py: Python<'py>,
    tool: &Tool,
    args: &RawJson,
) -> Result<Bound<'py, PyDict>, Failed> {
    if let Some(Err(error)) = tool.validator.as_ref().map(|validator| validator.validate(args)) {
        return Err(Failed::Arguments(Box::new(error.into())));
    }
    let (members, has_fractions) = load_object(py, args.get())?;
    match &tool.bind {
        Some(bind) if !tool.binds_numbers_only || has_fractions => {
            let bound = bind.bind(py).call1((members,));
            let bound = bound.map_err(|error| match failure::of_arguments(py, error) {
                Ok(info) => Failed::Arguments(Box::new(info)),
                Err(error) => Failed::Raised(error),
            })?;
            Ok(bound.cast_into::<PyDict>().map_err(PyErr::from)?)
        }
        _ => Ok(members),
    }
}

/// A call that its host gave up (`tool.cancelled`).
pub(crate) fn cancelled() -> ToolResult {
    ToolResult::error("".into(), ErrorInfo::new(ErrorKind::Cancelled, "cancelled"))
}
