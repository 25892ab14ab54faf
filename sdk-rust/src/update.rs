//! How a call stands, shown while it runs.

use extline_protocol::frame::{Content, Progress};
use extline_protocol::{RawJson, Update};
use serde::Serialize;

use crate::{Context, IntoContent};

/// A snapshot of how a tool call stands, made by [`Context::update`] and shown by
/// [`UpdateBuilder::send`]. Each replaces the one before.
///
/// ```
/// # async fn handler(ctx: extline::Context, files: Vec<String>) {
/// for (done, file) in files.iter().enumerate() {
///     ctx.update(format!("reading {file}")).progress(done, files.len()).unit("files").send();
/// }
/// # }
/// ```
#[derive(Debug)]
#[must_use = "nothing is shown until `.send()`"]
pub struct UpdateBuilder<'a> {
    context: &'a Context,
    update: Update,
}

impl<'a> UpdateBuilder<'a> {
    pub(crate) fn new(context: &'a Context, message: String) -> Self {
        let progress = Progress { message: Some(message), ..Progress::default() };
        Self { context, update: Update { progress: Some(progress), ..Update::default() } }
    }

    /// How many of how many units are done.
    pub fn progress(self, done: impl Amount, total: impl Amount) -> Self {
        let total = total.amount();
        self.change(|progress| progress.total = Some(total)).done(done)
    }

    /// How many units are done, when nobody knows of how many.
    pub fn done(self, done: impl Amount) -> Self {
        let done = done.amount();
        self.change(|progress| progress.done = Some(done))
    }

    /// What is counted, as `files`.
    pub fn unit(self, unit: impl Into<String>) -> Self {
        let unit = unit.into();
        self.change(|progress| progress.unit = Some(unit))
    }

    /// Adds a block of the result so far, for hosts that show it while the call runs.
    pub fn content(mut self, block: impl IntoContent) -> Self {
        self.update.content.get_or_insert_default().push(block.into_content());
        self
    }

    /// Adds text of the result so far.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.content(Content::text(text))
    }

    /// Adds more for the user's eyes. A value that serde cannot write as JSON is left out: an update
    /// never fails.
    pub fn details<T: Serialize + ?Sized>(mut self, details: &T) -> Self {
        self.update.details = RawJson::of(details).ok();
        self
    }

    /// Shows it. Never waits and never fails: of several within 50 ms the last is sent, and nothing
    /// is when the host does not know updates, when the call is answered, or outside a tool.
    pub fn send(self) {
        self.context.send_update(self.update);
    }

    fn change(mut self, change: impl FnOnce(&mut Progress)) -> Self {
        change(self.update.progress.get_or_insert_default());
        self
    }
}

/// A number of units: any of Rust's number types.
pub trait Amount {
    /// The number; beyond 2^53 it is rounded.
    fn amount(self) -> f64;
}

macro_rules! amounts {
    ($($number:ty),*) => {
        $(impl Amount for $number {
            #[allow(
                clippy::cast_precision_loss, clippy::cast_lossless,
                reason = "progress is shown to a person"
            )]
            fn amount(self) -> f64 {
                self as f64
            }
        })*
    };
}

amounts!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64);
