//! Who has which name: built-ins first, then extensions in load order, whatever the order in which
//! their registrations arrive.

mod activity;
mod deferred;
mod difference;
mod offering;
mod point;
mod points;
mod reloading;
mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use extline_protocol::frame::{Registered, Rejection};
use tokio::sync::mpsc::UnboundedSender;

pub(crate) use self::activity::HOST;
pub(crate) use self::difference::Registrations;
pub use self::difference::{Changed, Changes, Difference};
pub(crate) use self::offering::OfferRules;
use self::offering::Offering;
pub(crate) use self::point::Point;
use self::points::Subscription;
pub(crate) use self::points::{Listed, Standing};
use crate::descriptions::Descriptions;
use crate::memory::Memory;
use crate::report::Diagnosis;
use crate::tool::{Command, Tool};
use crate::tool_settings::ToolSettings;

/// Registrations that cannot be used and are kept for the report of one extension.
const REFUSED: usize = 256;

/// How often the name of something subscribed to is kept: in the report, in what of it is written
/// and told, and in the answers to who is asked.
const REPORTED: usize = 16;

/// Everything that is registered with one host.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// The agent's own, by name; some it only keeps the name of.
    builtin_tools: BTreeMap<String, Option<Arc<Tool>>>,
    builtin_commands: BTreeSet<String>,
    /// Tools of the agent's own that can be called and are not offered now.
    unlisted: BTreeSet<String>,
    /// The tools that extensions have deactivated, by extension.
    inactive: BTreeMap<String, BTreeSet<String>>,
    /// What models get of it.
    offering: Offering,
    /// In load order.
    offers: Vec<Offer>,
    /// Is told which deferred extension is used.
    starter: Option<UnboundedSender<usize>>,
    /// Made from the above when it is asked for.
    winners: Option<Winners>,
}

/// What one extension registered.
#[derive(Debug, Default)]
struct Offer {
    extension: String,
    tools: BTreeMap<String, Arc<Tool>>,
    /// By name in lower case.
    commands: BTreeMap<String, Arc<Command>>,
    /// Points that its `extension.json` declares to guard.
    guards: BTreeSet<String>,
    subscription: Subscription,
    /// What it had subscribed to when it died, until it is ready again: some of it still holds.
    promised: Option<Subscription>,
    /// What it registered is used.
    is_ready: bool,
    /// Its `ready` came, so what it did not register it does not want to.
    said_ready: bool,
    /// Nobody wants it any more, or it is disabled.
    is_taken_away: bool,
    /// It is on its way to be started, and has no process yet.
    is_expected: bool,
    /// The tools and commands that it had when somebody disabled it: a call of one says so.
    disabled: Option<Names>,
    /// Calls pass where its guards cannot be asked: a person wants it.
    is_unguarded: bool,
    /// Why it never had a process, in a line.
    failed: Option<String>,
    /// What it offered when it died, while it is started again (`end.restart-names`).
    kept: Option<Kept>,
    /// Another process takes its place, or the first one: calls wait for that.
    is_reloading: bool,
    /// It is listed, and started when it is used.
    is_deferred: bool,
    /// It was deferred, and its start has no end yet.
    is_first_start: bool,
    /// What it was listed with, and why it could not be started when that was used.
    failed_first: Option<(Names, Arc<Diagnosis>)>,
    /// Registrations that cannot be used, by kind and name.
    refused: BTreeMap<(String, String), Rejection>,
    reported: Option<Registered>,
    /// Its tools and commands are out of use while its process runs.
    is_inactive: bool,
    /// What its user set for its tools, and in which file.
    user: (BTreeMap<String, ToolSettings>, PathBuf),
    /// Roughly what it takes to keep the above.
    memory: usize,
    /// Something was registered anew, perhaps under a name that is reported already.
    has_changed: bool,
}

/// The tools and commands of an extension that is started again.
#[derive(Debug)]
struct Kept {
    tools: BTreeMap<String, Arc<Tool>>,
    commands: BTreeMap<String, Arc<Command>>,
}

/// Names of tools, and of commands in lower case.
#[derive(Debug, Default)]
struct Names {
    tools: BTreeSet<String>,
    commands: BTreeSet<String>,
}

impl Kept {
    fn names(&self) -> Names {
        Names {
            tools: self.tools.keys().cloned().collect(),
            commands: self.commands.keys().cloned().collect(),
        }
    }
}

#[derive(Debug, Default)]
struct Winners {
    tools: BTreeMap<String, Arc<Tool>>,
    commands: BTreeMap<String, Arc<Command>>,
}

impl Offer {
    /// Its user has not switched the tool off.
    fn is_enabled(&self, tool: &str) -> bool {
        self.user.0.get(tool).is_none_or(|settings| settings.enabled != Some(false))
    }
}

impl Registry {
    /// With the names of the agent's own tools and commands, and those tools that it offers here.
    pub(crate) fn new(names: &[String], tools: &[Arc<Tool>], commands: &[String]) -> Self {
        let names = names.iter().map(|name| (name.clone(), None));
        let tools = tools.iter().map(|tool| (tool.name().to_owned(), Some(Arc::clone(tool))));
        Self {
            builtin_tools: names.chain(tools).collect(),
            builtin_commands: commands.iter().map(|name| name.to_lowercase()).collect(),
            ..Self::default()
        }
    }

    /// Adds an extension behind the others; its index is its place in load order.
    pub(crate) fn add_extension(&mut self, extension: &str) -> usize {
        self.offers.push(Offer { extension: extension.to_owned(), ..Offer::default() });
        self.offers.len() - 1
    }

    /// Adds a tool of an extension, or replaces it.
    pub(crate) fn register_tool(&mut self, owner: usize, mut tool: Tool) {
        let offer = &mut self.offers[owner];
        offer.refused.remove(&("tool".to_owned(), tool.name().to_owned()));
        let before = offer.tools.get(tool.name()).and_then(|before| before.turn.clone());
        if let (Some(turn), Some(before)) = (&mut tool.turn, before) {
            // A call of the tool as it was may still run.
            *turn = before;
        }
        offer.memory += tool.memory;
        let replaced = offer.tools.insert(tool.name().to_owned(), Arc::new(tool));
        offer.memory -= replaced.map_or(0, |tool| tool.memory);
        offer.has_changed = true;
        self.winners = None;
    }

    /// Whether there was such a tool.
    pub(crate) fn unregister_tool(&mut self, owner: usize, name: &str) -> bool {
        let offer = &mut self.offers[owner];
        offer.refused.remove(&("tool".to_owned(), name.to_owned()));
        self.winners = None;
        let removed = offer.tools.remove(name);
        offer.memory -= removed.as_ref().map_or(0, |tool| tool.memory);
        removed.is_some()
    }

    pub(crate) fn register_command(&mut self, command: Command) {
        let offer = &mut self.offers[command.owner];
        offer.refused.remove(&("command".to_owned(), command.name().to_owned()));
        offer.memory += command.definition.memory();
        let replaced = offer.commands.insert(command.name().to_lowercase(), Arc::new(command));
        offer.memory -= replaced.map_or(0, |command| command.definition.memory());
        offer.has_changed = true;
        self.winners = None;
    }

    /// Keeps a registration that cannot be used, for the report; of very many only the first.
    pub(crate) fn refuse(&mut self, owner: usize, rejection: Rejection) {
        let offer = &mut self.offers[owner];
        // What the extension offers anew does not stand as it was before.
        if rejection.kind == "tool" {
            let removed = offer.tools.remove(&rejection.name);
            offer.memory -= removed.map_or(0, |tool| tool.memory);
            self.winners = None;
        }
        let key = (rejection.kind.clone(), rejection.name.clone());
        if offer.refused.len() < REFUSED || offer.refused.contains_key(&key) {
            offer.refused.insert(key, rejection);
        }
    }

    /// Roughly what it takes to keep what an extension registered, in bytes.
    pub(crate) fn memory(&self, owner: usize) -> usize {
        let offer = &self.offers[owner];
        offer.memory + REPORTED * offer.subscription.memory
    }

    /// Forgets the tools and commands of an extension that still wants to know and to be asked.
    pub(crate) fn withdraw(&mut self, owner: usize) {
        let offer = &mut self.offers[owner];
        offer.tools.clear();
        offer.commands.clear();
        offer.memory = 0;
        self.winners = None;
    }

    /// Forgets everything the extension offered, except where its guard stands: what it guards
    /// does not go unguarded because it died (`guard.gone`).
    pub(crate) fn remove_extension(&mut self, owner: usize) {
        self.offers[owner] = std::mem::take(&mut self.offers[owner]).outlived();
        self.winners = None;
    }

    /// The extension died and may be started again: what it offers stays its own until it is ready
    /// or somebody lets go of it.
    pub(crate) fn keep_names(&mut self, owner: usize) {
        let offer = &mut self.offers[owner];
        let kept = Kept { tools: offer.tools.clone(), commands: offer.commands.clone() };
        // One that dies on its way up had not offered everything yet.
        offer.kept.get_or_insert(kept);
        self.winners = None;
    }

    /// The process has ended, and its names are free, unless another one takes its place.
    pub(crate) fn free_names(&mut self, owner: usize) {
        if !self.offers[owner].is_reloading {
            self.let_go_of_names(owner);
        }
    }

    /// The extension is not started again: its names are free.
    pub(crate) fn let_go_of_names(&mut self, owner: usize) {
        self.offers[owner].kept = None;
        self.winners = None;
    }

    /// Whether the extension is being started again, and nobody of lower rank gets its names.
    pub(crate) fn is_restarting(&self, owner: usize) -> bool {
        self.offers[owner].kept.is_some()
    }

    /// What the extension has registered is used, perhaps again, though its `ready` may still come:
    /// until then what it promised before holds where it does not guard yet.
    pub(crate) fn use_what_is_registered(&mut self, owner: usize) {
        self.offers[owner].is_ready = true;
        self.let_go_of_names(owner);
    }

    /// The extension said that all is registered: it has the names that it registered now, and its
    /// guards stand where it says so now.
    pub(crate) fn settle(&mut self, owner: usize) {
        self.use_what_is_registered(owner);
        self.offers[owner].said_ready = true;
        self.offers[owner].promised = None;
    }

    /// Nobody wants the extension any more: nothing of it holds.
    pub(crate) fn take_away(&mut self, owner: usize) {
        self.offers[owner].is_taken_away = true;
        self.offers[owner].disabled = None;
        self.let_go_of_names(owner);
    }

    /// Somebody disables the extension: from here on its tools and commands are not called, while
    /// its guards stand until it has ended.
    pub(crate) fn begin_to_disable(&mut self, owner: usize) {
        let offer = &mut self.offers[owner];
        let mut names = offer.kept.as_ref().map(Kept::names).unwrap_or_default();
        names.tools.extend(offer.tools.keys().cloned());
        names.commands.extend(offer.commands.keys().cloned());
        offer.disabled = Some(names);
    }

    /// The extension does not run, as somebody wants it: its names are free, and nothing of it holds.
    /// What it promised to guard is remembered.
    pub(crate) fn disable(&mut self, owner: usize) {
        let names = self.offers[owner].disabled.take();
        self.take_away(owner);
        self.offers[owner].disabled = Some(names.unwrap_or_default());
    }

    /// Somebody wants the extension (again): what it is to guard is closed from here on, until it can
    /// be asked.
    pub(crate) fn enable(&mut self, owner: usize) {
        let offer = &mut self.offers[owner];
        offer.is_taken_away = false;
        offer.is_expected = true;
        offer.disabled = None;
        // What is reloaded stays as it was.
        offer.is_inactive &= offer.is_reloading;
        offer.failed = None;
        offer.failed_first = None;
    }

    /// The extension has a process.
    pub(crate) fn has_begun(&mut self, owner: usize) {
        self.offers[owner].is_expected = false;
    }

    /// Whether the extension is about to get a process.
    pub(crate) fn is_expected(&self, owner: usize) -> bool {
        self.offers[owner].is_expected
    }

    /// Whether somebody has disabled the extension, or is about to.
    pub(crate) fn is_disabled(&self, owner: usize) -> bool {
        self.offers[owner].disabled.is_some()
    }

    /// The disabled extension that had a tool of that name.
    pub(crate) fn disabled_with_tool(&self, name: &str) -> Option<&str> {
        self.disabled_with(|names| names.tools.contains(name))
    }

    /// The same with a command.
    pub(crate) fn disabled_with_command(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        self.disabled_with(|names| names.commands.contains(&name))
    }

    fn disabled_with(&self, has: impl Fn(&Names) -> bool) -> Option<&str> {
        let found = self.offers.iter().find(|offer| offer.disabled.as_ref().is_some_and(&has));
        found.map(|offer| offer.extension.as_str())
    }

    /// The extension never had a process.
    pub(crate) fn not_started(&mut self, owner: usize, why: String) {
        self.offers[owner].failed = Some(why);
        self.offers[owner].is_expected = false;
    }

    /// The name of an extension, and why it never had a process.
    pub(crate) fn extension(&self, owner: usize) -> (&str, Option<&str>) {
        let Offer { extension, failed, .. } = &self.offers[owner];
        (extension, failed.as_deref())
    }

    /// What the user set for the tools of an extension, in that file.
    pub(crate) fn set_tools(
        &mut self,
        owner: usize,
        tools: BTreeMap<String, ToolSettings>,
        file: PathBuf,
    ) {
        self.offers[owner].user = (tools, file);
        self.winners = None;
    }

    /// What the user set for one of them.
    pub(crate) fn settings(&self, owner: usize, tool: &str) -> Option<&ToolSettings> {
        self.offers[owner].user.0.get(tool)
    }

    /// The extension that has a tool which its user has switched off, and the file that says so.
    pub(crate) fn switched_off(&self, tool: &str) -> Option<(String, PathBuf)> {
        let mut offers = self.offers.iter();
        let has = |offer: &Offer| {
            let kept = offer.kept.as_ref();
            offer.tools.contains_key(tool) || kept.is_some_and(|it| it.tools.contains_key(tool))
        };
        let offer = offers.find(|it| has(it) && !it.is_enabled(tool))?;
        Some((offer.extension.clone(), offer.user.1.clone()))
    }

    pub(crate) fn tool(&mut self, name: &str) -> Option<Arc<Tool>> {
        self.winners().tools.get(name).cloned()
    }

    pub(crate) fn command(&mut self, name: &str) -> Option<Arc<Command>> {
        self.winners().commands.get(&name.to_lowercase()).cloned()
    }

    /// All tools that are offered, by name.
    pub(crate) fn tools(&mut self) -> Vec<Arc<Tool>> {
        self.winners();
        let tools = self.winners.iter().flat_map(|winners| &winners.tools);
        let listed =
            tools.filter(|(name, _)| !self.unlisted.contains(*name) && self.is_active(name));
        listed.map(|(_, tool)| Arc::clone(tool)).collect()
    }

    /// All tools, by name, each with whether it is offered.
    pub(crate) fn all_tools(&mut self) -> Vec<(Arc<Tool>, bool)> {
        self.winners();
        let tools = self.winners.iter().flat_map(|winners| &winners.tools);
        let known = tools.filter(|(name, _)| !self.unlisted.contains(*name));
        known.map(|(name, tool)| (Arc::clone(tool), self.is_active(name))).collect()
    }

    /// Whether one of the agent's own tools is offered; it can be called in any case.
    pub(crate) fn list_builtin(&mut self, name: &str, is_listed: bool) {
        if is_listed {
            self.unlisted.remove(name);
        } else {
            self.unlisted.insert(name.to_owned());
        }
    }

    /// All commands in use, by name.
    pub(crate) fn commands(&mut self) -> Vec<Arc<Command>> {
        self.winners().commands.values().cloned().collect()
    }

    fn winners(&mut self) -> &Winners {
        let Self { builtin_tools, builtin_commands, offers, winners, offering, .. } = self;
        let descriptions = offering.rules.descriptions.as_ref();
        let revision = descriptions.map_or(0, Descriptions::revision);
        if std::mem::replace(&mut offering.described, revision) != revision {
            *winners = None;
        }
        winners.get_or_insert_with(|| {
            let builtins = builtin_tools.values().flatten();
            let builtins = builtins.map(|tool| (tool.name().to_owned(), Arc::clone(tool)));
            let mut winners = Winners { tools: builtins.collect(), ..Winners::default() };
            for offer in offers {
                let kept = offer.kept.as_ref();
                // What is offered anew comes first, and stands.
                let tools = offer.tools.iter().chain(kept.into_iter().flat_map(|it| &it.tools));
                for (name, tool) in tools {
                    if !builtin_tools.contains_key(name) && offer.is_enabled(name) {
                        let entry = winners.tools.entry(name.clone());
                        entry.or_insert_with(|| offer.as_offered(tool, descriptions));
                    }
                }
                let commands =
                    offer.commands.iter().chain(kept.into_iter().flat_map(|it| &it.commands));
                for (name, command) in commands {
                    if !builtin_commands.contains(name) {
                        winners.commands.entry(name.clone()).or_insert_with(|| Arc::clone(command));
                    }
                }
            }
            winners
        })
    }
}

#[cfg(test)]
mod tests;
