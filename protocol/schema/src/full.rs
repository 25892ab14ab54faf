//! What jsonschema makes of a schema, and how much of its work one call may have.

use std::sync::OnceLock;
use std::thread;

use extline_protocol::{Members, RawJson};
use jsonschema::{ValidationOptions, Validator};
use serde_json::Value;

use crate::bound::Bound;
use crate::graph::Graph;
use crate::pattern::Patterns;
use crate::steps::{self, Left};
use crate::{SchemaError, Violation, explain};

/// What validating the arguments of one call may take. A look of a subschema at a value takes a
/// step and one more for each of its keywords, a long list of options or a large regular expression
/// some more.
pub const VALIDATION_STEPS: u64 = 5_000_000;

/// A validation that takes no more than this needs neither a count nor a thread.
const QUICK_STEPS: u64 = 50_000;

/// Arguments that are longer are not taken for quick to read.
const QUICK_BYTES: usize = 16 * 1024;

/// Subschemas open at once that any thread has a stack for.
const QUICK_OPEN: usize = 64;

/// The stack of a thread for a long validation, and how much of it jsonschema may use.
const STACK: usize = 32 * 1024 * 1024;
const STACK_USED: usize = 24 * 1024 * 1024;

/// What explaining may take: each step may copy a part of the arguments, to so many bytes in all.
const EXPLAINED_STEPS: u64 = 20_000;
const EXPLAINED_BYTES: u64 = 4 * 1024 * 1024;

/// What jsonschema keeps for a subschema, roughly, in bytes.
pub(crate) const SUBSCHEMA_BYTES: usize = 3 * 1024;

/// What jsonschema makes of a schema.
#[derive(Debug)]
pub(crate) struct Full {
    validator: Validator,
    /// `None` when it may look at a value again and again.
    bound: Option<Bound>,
    document: Value,
    graph: Graph,
    /// The same that counts; made for the first call that may be long.
    counting: OnceLock<Result<Validator, SchemaError>>,
}

impl Full {
    pub(crate) fn compile(schema: &RawJson) -> Result<Self, SchemaError> {
        let document: Value = schema.to().map_err(|error| SchemaError::unreadable(&error))?;
        let graph = Graph::of(&document);
        let of = |error| SchemaError::of(error, schema, &document);
        let graph = match graph {
            Ok(graph) => graph,
            Err(error) if error.is_too_large => return Err(error),
            // What leads nowhere is told by jsonschema, which knows why.
            Err(error) => {
                let told = options(&Patterns::default()).build(&document).err();
                return Err(told.map_or(error, of));
            }
        };
        let validator = options(&graph.patterns).build(&document).map_err(of)?;
        let bound = Bound::of(&graph);
        Ok(Self { validator, bound, document, graph, counting: OnceLock::new() })
    }

    pub(crate) fn is_quick(&self, args: &RawJson) -> bool {
        args.get().len() <= QUICK_BYTES && self.needs_no_count(args, QUICK_STEPS)
    }

    pub(crate) fn memory(&self) -> usize {
        let pointers: usize = self.graph.nodes.iter().map(|node| node.pointer.len()).sum();
        self.graph.nodes.len() * SUBSCHEMA_BYTES + self.graph.patterns.bytes + 2 * pointers
    }

    /// Validates arguments. `explain` says what is wrong with those that do not match, where it can.
    pub(crate) fn validate(
        &self,
        args: &RawJson,
        explain: impl FnOnce() -> Option<Violation> + Send,
    ) -> Result<(), Violation> {
        if self.is_quick(args) {
            let value: Value = args.to().map_err(|_| Violation::unreadable(args))?;
            if self.validator.is_valid(&value) {
                return Ok(());
            }
            if let Some(violation) = explain() {
                return Err(violation);
            }
            if self.explains_soon(args) {
                return Err(explain::violation(self.validator.iter_errors(&value), args));
            }
            return Err(on_own_thread(|| self.explain_counting(&value, args))?);
        }
        on_own_thread(|| self.validate_counting(args, explain))?
    }

    fn validate_counting(
        &self,
        args: &RawJson,
        explain: impl FnOnce() -> Option<Violation>,
    ) -> Result<(), Violation> {
        let value: Value = args.to().map_err(|_| Violation::unreadable(args))?;
        let counting = self.counting().map_err(Violation::of_schema)?;
        let is_valid = steps::within(VALIDATION_STEPS, STACK_USED, || counting.is_valid(&value));
        match is_valid {
            Ok(true) => Ok(()),
            Ok(false) => Err(explain().unwrap_or_else(|| self.explain_counting(&value, args))),
            Err(left) => Err(Violation::unchecked(left)),
        }
    }

    fn explain_counting(&self, value: &Value, args: &RawJson) -> Violation {
        let counting = match self.counting() {
            Ok(counting) => counting,
            Err(error) => return Violation::of_schema(error),
        };
        let explained = steps::within(steps_to_explain(args), STACK_USED, || {
            explain::violation(counting.iter_errors(value), args)
        });
        explained.unwrap_or_else(|_: Left| Violation::unexplained())
    }

    /// All that is wrong with arguments that do not match, as far as it can be said in the steps for that.
    pub(crate) fn violations(&self, args: &RawJson) -> Vec<Violation> {
        let Ok(value) = args.to::<Value>() else { return Vec::new() };
        let Ok(counting) = self.counting() else { return Vec::new() };
        let explain = || explain::violations(counting.iter_errors(&value), args);
        let explained =
            on_own_thread(|| steps::within(steps_to_explain(args), STACK_USED, explain));
        match explained {
            Ok(Ok(violations)) => violations,
            _ => Vec::new(),
        }
    }

    fn needs_no_count(&self, args: &RawJson, steps: u64) -> bool {
        self.bound.as_ref().is_some_and(|bound| {
            let levels = levels(args);
            bound.steps(args.get().len(), levels) <= steps && bound.open(levels) <= QUICK_OPEN
        })
    }

    /// Whether explaining needs no count. What is open explains everything below it anew.
    fn explains_soon(&self, args: &RawJson) -> bool {
        let open = self.bound.as_ref().map_or(u64::MAX, |bound| bound.open(levels(args)) as u64);
        self.needs_no_count(args, steps_to_explain(args) / open.max(1))
    }

    fn counting(&self) -> Result<&Validator, &SchemaError> {
        let counting = self.counting.get_or_init(|| {
            let mut document = self.document.clone();
            steps::insert(&mut document, &self.graph);
            let options = jsonschema::options().offline().should_validate_formats(false);
            let options = options.with_pattern_options(self.graph.patterns.engine());
            let options =
                options.with_keyword(steps::KEYWORD, |_, value, _| Ok(steps::keyword(value)));
            options.build(&document).map_err(|error| SchemaError::unreadable(&error))
        });
        counting.as_ref()
    }
}

/// jsonschema goes as deep as schema and arguments nest together.
fn on_own_thread<T: Send>(run: impl FnOnce() -> T + Send) -> Result<T, Violation> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("extline-schema".to_owned()).stack_size(STACK);
        let running =
            thread.spawn_scoped(scope, run).map_err(|error| Violation::no_thread(&error))?;
        Ok(running.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)))
    })
}

fn steps_to_explain(args: &RawJson) -> u64 {
    (EXPLAINED_BYTES / (args.get().len() as u64 + 1)).min(EXPLAINED_STEPS)
}

fn levels(args: &RawJson) -> usize {
    Members::of(args.get()).map_or(0, |members| members.depth)
}

/// Nothing is fetched, and no regular expression is larger than the largest of these.
fn options(patterns: &Patterns) -> ValidationOptions<'static> {
    let options = jsonschema::options().offline().should_validate_formats(false);
    options.with_pattern_options(patterns.engine())
}
