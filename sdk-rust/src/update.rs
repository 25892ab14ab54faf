//! How a call stands, shown while it runs.

use std::fmt;

use extline_protocol::frame::{Content, Progress};
use extline_protocol::{RawJson, Update as Snapshot};
use extline_services::view::View;
use serde::Serialize;

use crate::{Context, IntoContent};

/// A snapshot of how a tool call stands. Each replaces the one before.
///
/// [`Context::update`] makes one to be shown by [`send`](Update::send); [`Update::new`] one for the
/// stream of a tool ([`Step`](crate::Step)).
///
/// ```
/// # async fn handler(ctx: extline::Context, files: Vec<String>) {
/// for (done, file) in files.iter().enumerate() {
///     ctx.update(format!("reading {file}")).progress(done, files.len()).unit("files").send();
/// }
/// ctx.update("merging").done(2.5).unit("MB").text("so far: a.txt").details(&files).send();
/// # }
/// ```
#[derive(Clone, PartialEq)]
#[must_use = "nothing is shown until `.send()`, or until a stream yields it"]
pub struct Update<To = ()> {
    to: To,
    snapshot: Snapshot,
}

impl Update {
    /// One for a stream, with a message.
    ///
    /// ```
    /// let update = extline::Update::new("asking").progress(1, 2);
    /// ```
    pub fn new(message: impl Into<String>) -> Self {
        Self { to: (), snapshot: saying(message.into()) }
    }

    pub(crate) fn into_snapshot(self) -> Snapshot {
        self.snapshot
    }
}

impl<To> Update<To> {
    /// How many of how many units are done.
    ///
    /// ```
    /// let update = extline::Update::new("reading").progress(3, 10);
    /// ```
    pub fn progress(self, done: impl Amount, total: impl Amount) -> Self {
        let total = total.amount();
        self.change(|progress| progress.total = Some(total)).done(done)
    }

    /// How many units are done, when nobody knows of how many.
    ///
    /// ```
    /// let update = extline::Update::new("reading").done(3);
    /// ```
    pub fn done(self, done: impl Amount) -> Self {
        let done = done.amount();
        self.change(|progress| progress.done = Some(done))
    }

    /// What is counted, as `files`.
    ///
    /// ```
    /// let update = extline::Update::new("reading").unit("files");
    /// ```
    pub fn unit(self, unit: impl Into<String>) -> Self {
        let unit = unit.into();
        self.change(|progress| progress.unit = Some(unit))
    }

    /// Adds a block of the result so far, for hosts that show it while the call runs.
    ///
    /// ```
    /// use extline::{Content, Update};
    ///
    /// let update = Update::new("reading").content(Content::text("so far: one"));
    /// ```
    pub fn content(mut self, block: impl IntoContent) -> Self {
        self.snapshot.content.get_or_insert_default().push(block.into_content());
        self
    }

    /// Adds text of the result so far.
    ///
    /// ```
    /// let update = extline::Update::new("reading").text("so far: one");
    /// ```
    pub fn text(self, text: impl Into<String>) -> Self {
        self.content(Content::text(text))
    }

    /// Adds more for the user's eyes. A value that serde cannot write as JSON is left out: an update
    /// never fails.
    ///
    /// ```
    /// let update = extline::Update::new("reading").details(&["one", "two"]);
    /// ```
    pub fn details<T: Serialize + ?Sized>(mut self, details: &T) -> Self {
        self.snapshot.details = RawJson::of(details).ok();
        self
    }

    /// Sets how a person is shown the result so far, by a host that shows views.
    ///
    /// ```
    /// use extline::view;
    ///
    /// let update = extline::Update::new("copying").view(&view::meter(3.0, 10.0, Some("GB")));
    /// ```
    pub fn view(mut self, view: &View) -> Self {
        self.snapshot.view = RawJson::of(view).ok();
        self
    }

    fn change(mut self, change: impl FnOnce(&mut Progress)) -> Self {
        change(self.snapshot.progress.get_or_insert_default());
        self
    }
}

impl Update<&Context> {
    /// Shows it. Never waits and never fails: of several within 50 ms the last is sent, and nothing
    /// is when the host does not know updates, when the call is answered, or outside a tool.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.update("reading").send();
    /// # }
    /// ```
    pub fn send(self) {
        self.to.send_update(self.snapshot);
    }
}

impl<To> fmt::Debug for Update<To> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.snapshot.fmt(formatter)
    }
}

/// Updates.
impl Context {
    /// Shows how a tool call stands: `ctx.update("asking").progress(1, 2).send()`.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// ctx.update("asking").progress(1, 2).send();
    /// # }
    /// ```
    pub fn update(&self, message: impl Into<String>) -> Update<&Self> {
        Update { to: self, snapshot: saying(message.into()) }
    }

    /// Shows how far a loop is, as `3/10`, each time it goes round. The total is shown where the
    /// iterator knows its length.
    ///
    /// ```
    /// use extline::prelude::*;
    ///
    /// #[derive(Deserialize, JsonSchema)]
    /// struct Count {
    ///     files: Vec<String>,
    /// }
    ///
    /// let count = Tool::new("count_lines", "Counts lines.", async |args: Count, ctx: Context| {
    ///     let mut lines = 0;
    ///     for file in ctx.track(args.files).message("counting").unit("files") {
    ///         lines += extline::tokio::task::spawn_blocking(|| std::fs::read_to_string(file))
    ///             .await??
    ///             .lines()
    ///             .count();
    ///     }
    ///     Ok(lines.to_string())
    /// });
    /// ```
    pub fn track<I: IntoIterator>(&self, items: I) -> Track<'_, I::IntoIter> {
        let items = items.into_iter();
        let (least, most) = items.size_hint();
        let total = most.filter(|most| *most == least).map(Amount::amount);
        let progress = Progress { total, ..Progress::default() };
        Track { context: self, items, progress, done: 0, is_over: false }
    }
}

fn saying(message: String) -> Snapshot {
    let progress = Progress { message: Some(message), ..Progress::default() };
    Snapshot { progress: Some(progress), ..Snapshot::default() }
}

/// A loop that shows how far it is, made by [`Context::track`].
///
/// ```
/// # fn handler(ctx: &extline::Context) {
/// for page in ctx.track(1..=20).message("reading").unit("pages") {
///     // Read it.
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "it is an iterator: put it into a `for` loop"]
pub struct Track<'a, I> {
    context: &'a Context,
    items: I,
    progress: Progress,
    done: usize,
    is_over: bool,
}

impl<I> Track<'_, I> {
    /// What is being done, as `reading`.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// let numbers: Vec<_> = ctx.track(1..=20).message("counting").collect();
    /// # }
    /// ```
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.progress.message = Some(message.into());
        self
    }

    /// What is counted, as `files`.
    ///
    /// ```
    /// # fn handler(ctx: &extline::Context) {
    /// let numbers: Vec<_> = ctx.track(1..=20).unit("numbers").collect();
    /// # }
    /// ```
    pub fn unit(mut self, unit: impl Into<String>) -> Self {
        self.progress.unit = Some(unit.into());
        self
    }

    fn show(&self) {
        let progress = Progress { done: Some(self.done.amount()), ..self.progress.clone() };
        self.context.send_update(Snapshot { progress: Some(progress), ..Snapshot::default() });
    }
}

impl<I: Iterator> Iterator for Track<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.is_over {
            return None;
        }
        let item = self.items.next();
        self.show();
        match &item {
            Some(_) => self.done += 1,
            None => self.is_over = true,
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.is_over { (0, Some(0)) } else { self.items.size_hint() }
    }
}

/// A number of units: any of Rust's number types.
///
/// ```
/// use extline::Amount;
///
/// assert_eq!(3_u8.amount(), 3.0);
/// assert_eq!(2.5_f32.amount(), 2.5);
/// ```
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
