//! The budget of a validation: jsonschema has none of its own, so each subschema counts.
//!
//! A keyword of ours stands behind the `allOf` of every subschema. It is looked at before any
//! keyword that tries alternatives or follows a reference, takes its steps from those that are
//! left, and leaves the validation when there are none.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};

use jsonschema::{Keyword, ValidationError};
use serde_json::{Map, Value, json};

use crate::graph::{Charge, Graph};

/// The keyword. No schema of an extension has it: it stands only where this module put it.
pub(crate) const KEYWORD: &str = "\u{1}extline-steps";

thread_local! {
    /// Steps that the validation of this thread may still take.
    static LEFT: Cell<u64> = const { Cell::new(0) };
    /// Where the stack of this thread may not grow beyond.
    static STACK_ENDS: Cell<usize> = const { Cell::new(0) };
}

/// Why a validation was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    OutOfSteps,
    TooDeep,
}

/// Writes the keyword into every subschema.
pub(crate) fn insert(document: &mut Value, graph: &Graph) {
    for node in &graph.nodes {
        let Some(Value::Object(schema)) = document.pointer_mut(&node.pointer) else { continue };
        let Charge { own, text, member, inside } = node.charge;
        let step = json!({ KEYWORD: [own, text, member, inside] });
        match schema.entry("allOf").or_insert_with(|| json!([])) {
            Value::Array(all) => all.push(step),
            other => *other = json!([step]),
        }
    }
}

/// The keyword's own validator.
pub(crate) fn keyword(value: &Value) -> Box<dyn for<'i> Keyword<'i>> {
    let number = |at: usize| value.get(at).and_then(Value::as_u64).unwrap_or(1);
    let charge = Charge { own: number(0), text: number(1), member: number(2), inside: number(3) };
    Box::new(Step(charge))
}

/// Runs a validation of at most so many steps, on a stack of which so many bytes are free.
pub(crate) fn within<T>(steps: u64, stack: usize, run: impl FnOnce() -> T) -> Result<T, Left> {
    if cfg!(panic = "abort") {
        // Nothing can leave a validation here: it is refused before it begins.
        return Err(Left::OutOfSteps);
    }
    let here = 0_u8;
    LEFT.set(steps);
    STACK_ENDS.set(std::ptr::from_ref(&here).addr().saturating_sub(stack));
    panic::catch_unwind(AssertUnwindSafe(run)).map_err(|cause| match cause.downcast_ref::<Left>() {
        Some(left) => *left,
        None => panic::resume_unwind(cause),
    })
}

struct Step(Charge);

impl Step {
    fn take(&self, value: &Value) {
        let Charge { own, text, member, inside } = self.0;
        let here = 0_u8;
        if std::ptr::from_ref(&here).addr() < STACK_ENDS.get() {
            panic::resume_unwind(Box::new(Left::TooDeep));
        }
        let mut steps = own;
        match value {
            Value::String(string) => steps += text * (string.len() as u64 / 16),
            Value::Object(members) => steps += member * members.len() as u64,
            _ => {}
        }
        if inside > 0 {
            steps = steps.saturating_add(inside.saturating_mul(values_in(value)));
        }
        match LEFT.get().checked_sub(steps) {
            Some(left) => LEFT.set(left),
            None => panic::resume_unwind(Box::new(Left::OutOfSteps)),
        }
    }
}

impl<'i> Keyword<'i> for Step {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        self.take(instance);
        Ok(())
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        self.take(instance);
        true
    }
}

fn values_in(value: &Value) -> u64 {
    let children = |values: &mut dyn Iterator<Item = &Value>| values.map(values_in).sum::<u64>();
    1 + match value {
        Value::Array(items) => children(&mut items.iter()),
        Value::Object(members) => children(&mut Map::values(members)),
        _ => 0,
    }
}
