//! Who hears of what happens, and who is asked before it does.

use std::collections::{BTreeMap, BTreeSet};

use extline_protocol::frame::{Event, EventFilter, OnFailure, Phase, Subscribe};

use super::point::Point;
use super::{Offer, Registry};
use crate::memory::Memory;

/// What one process of an extension subscribed to, and what its `hello` declared.
#[derive(Debug, Default)]
pub(super) struct Subscription {
    pub(super) events: BTreeSet<String>,
    pub(super) intercept: BTreeSet<String>,
    pub(super) guards: BTreeSet<String>,
    /// By point.
    on_failure: BTreeMap<String, OnFailure>,
    /// Which of the events are wanted, by event; all where it is not named.
    filters: BTreeMap<String, EventFilter>,
    /// Points that its `hello` declared to guard.
    declared: BTreeSet<String>,
    /// It guards, and why nobody can tell where.
    unclear: Option<String>,
    /// Roughly what it takes to keep them, in bytes.
    pub(super) memory: usize,
}

/// An extension that is listed at a point.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its place in load order.
    pub(crate) owner: usize,
    /// What it means when it has no usable answer.
    pub(crate) on_failure: OnFailure,
    pub(crate) standing: Standing,
}

/// Whether an extension that is listed can be asked. Where it cannot, `on_failure` decides
/// (`guard.declared`, `guard.gone`).
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is asked.
    Asked,
    /// Not yet, or not any more: it starts, has failed, or has died.
    Away,
    /// It is in use, and has not registered the guard that was declared.
    Missing {
        /// `extension.json` or `hello`.
        declared_in: &'static str,
    },
    /// It guards, and where cannot be told; why.
    Unclear(String),
}

impl Subscription {
    /// Whether the event is wanted.
    fn hears(&self, event: &Event) -> bool {
        let filter = self.filters.get(&event.event);
        self.events.contains(&event.event) && filter.is_none_or(|filter| filter.fits(event))
    }

    /// Narrows the events that are new, and no longer those that somebody wants whole
    /// (`subscribe.filter-union`).
    fn filter(&mut self, events: &[String], filters: &BTreeMap<String, EventFilter>) {
        let before = self.filters.memory();
        for event in events.iter().collect::<BTreeSet<_>>() {
            let filter = filters.get(event).filter(|filter| filter.fault().is_none());
            match (self.filters.get_mut(event), filter) {
                (Some(known), Some(filter)) => known.widen(filter),
                (Some(_), None) => drop(self.filters.remove(event)),
                (None, Some(filter)) if !self.events.contains(event) => {
                    drop(self.filters.insert(event.clone(), filter.clone()));
                }
                (None, _) => {}
            }
        }
        self.memory = self.memory - before + self.filters.memory();
    }

    fn lists(&self, point: Point, phase: &Phase) -> bool {
        let points = if *phase == Phase::Guard { &self.guards } else { &self.intercept };
        points.contains(point.as_str())
    }

    fn declared(&self, point: Point) -> Option<&OnFailure> {
        self.on_failure.get(point.as_str())
    }

    /// Whether the point stays closed or open as `on_failure` says when the extension has died: a
    /// guard is a promise, and so is an interceptor whose author wrote `block`; any other
    /// interceptor is only missed.
    fn outlives_its_extension(&self, point: Point, phase: &Phase) -> bool {
        if *phase == Phase::Guard {
            let is_unclear = self.unclear.is_some() && point.has_guards();
            return is_unclear
                || self.lists(point, phase)
                || self.declared.contains(point.as_str());
        }
        self.declared(point) == Some(&OnFailure::Block) && self.lists(point, phase)
    }

    /// Adds what a further process promised that died before it was ready. What one of the two did
    /// not want to be allowed is not.
    fn add(&mut self, newer: Self) {
        let strict =
            |it: &Self, point: &String| it.on_failure.get(point) != Some(&OnFailure::Allow);
        let promised = [&*self, &newer].into_iter().flat_map(|it| {
            it.guards.iter().chain(&it.declared).filter(|point| strict(it, point)).cloned()
        });
        let closed: Vec<_> = promised.collect();
        self.on_failure.extend(newer.on_failure);
        self.on_failure.extend(closed.into_iter().map(|point| (point, OnFailure::Block)));
        self.intercept.extend(newer.intercept);
        self.guards.extend(newer.guards);
        self.declared.extend(newer.declared);
        self.unclear = self.unclear.take().or(newer.unclear);
    }
}

impl Offer {
    /// How the extension stands at a point where it is listed, and what it declared for that.
    fn standing(&self, point: Point, phase: &Phase) -> Option<(Standing, Option<&OnFailure>)> {
        let Self { subscription, promised, .. } = self;
        let is_guard = *phase == Phase::Guard && point.has_guards();
        let of_this_process = subscription.declared(point);
        if self.is_taken_away {
            return None;
        }
        if let Some(why) = subscription.unclear.as_ref().filter(|_| is_guard) {
            return Some((Standing::Unclear(why.clone()), of_this_process));
        }
        // Before a process that was started again is ready, what the one before promised holds.
        if subscription.lists(point, phase) && (promised.is_none() || self.is_ready) {
            return Some((Standing::Asked, of_this_process));
        }
        let promised = promised.as_ref().filter(|it| it.outlives_its_extension(point, phase));
        if let Some(promised) = promised {
            return Some((Standing::Away, promised.declared(point)));
        }
        let declared_in = [("extension.json", &self.guards), ("hello", &subscription.declared)];
        let declares = |(_, points): &&(_, &BTreeSet<String>)| points.contains(point.as_str());
        let (declared_in, _) = declared_in.iter().filter(|_| is_guard).find(declares)?;
        let standing =
            if self.said_ready { Standing::Missing { declared_in } } else { Standing::Away };
        Some((standing, of_this_process))
    }

    fn listed(&self, owner: usize, point: Point, phase: &Phase) -> Option<Listed> {
        let (standing, declared) = self.standing(point, phase)?;
        let may_be_missed = self.is_unguarded && standing != Standing::Asked;
        let on_failure = if may_be_missed { OnFailure::Allow } else { point.on_failure(declared) };
        Some(Listed { owner, on_failure, standing })
    }
}

impl Registry {
    /// Adds to what the extension subscribed to (`subscribe.additive`). One that says where its
    /// guards stand mends what was unclear.
    pub(crate) fn subscribe(&mut self, owner: usize, subscribe: Subscribe) {
        let subscription = &mut self.offers[owner].subscription;
        if subscribe.guards.is_some() {
            subscription.unclear = None;
        }
        let is_new = |names: &BTreeSet<String>, name: &&String| !names.contains(*name);
        for (names, known) in [
            (&subscribe.events, &subscription.events),
            (&subscribe.intercept, &subscription.intercept),
            (&subscribe.guards, &subscription.guards),
        ] {
            let new = names.iter().flatten().filter(|name| is_new(known, name));
            subscription.memory += new.map(Memory::memory).sum::<usize>();
        }
        let points = subscribe.on_failure.iter().flatten();
        let new = points.filter(|(point, _)| !subscription.on_failure.contains_key(*point));
        subscription.memory += new.map(|(point, _)| point.memory()).sum::<usize>();
        let filters = subscribe.filters.unwrap_or_default();
        subscription.filter(subscribe.events.as_deref().unwrap_or_default(), &filters);
        subscription.events.extend(subscribe.events.unwrap_or_default());
        subscription.intercept.extend(subscribe.intercept.unwrap_or_default());
        subscription.guards.extend(subscribe.guards.unwrap_or_default());
        subscription.on_failure.extend(subscribe.on_failure.unwrap_or_default());
    }

    /// The extension declared to guard these points, in its `extension.json`.
    pub(crate) fn declare_in_manifest(&mut self, owner: usize, guards: &[String]) {
        self.offers[owner].guards.extend(guards.iter().cloned());
    }

    /// The same in its `hello`.
    pub(crate) fn declare_in_hello(&mut self, owner: usize, guards: Vec<String>) {
        self.offers[owner].subscription.declared = guards.into_iter().collect();
    }

    /// The extension guards, and nobody can tell where (`guard.unclear`).
    pub(crate) fn guards_are_unclear(&mut self, owner: usize, why: String) {
        self.offers[owner].subscription.unclear = Some(why);
    }

    /// A person wants calls to pass where its guards cannot be asked.
    pub(crate) fn leave_unguarded(&mut self, owner: usize) {
        self.offers[owner].is_unguarded = true;
    }

    /// The extensions that want an event, in load order.
    pub(crate) fn subscribers(&self, event: &Event) -> Vec<usize> {
        let wants = |owner: &usize| self.offers[*owner].subscription.hears(event);
        (0..self.offers.len()).filter(wants).collect()
    }

    /// Whether any extension wants an event.
    pub(crate) fn has_subscriber(&self, event: &str) -> bool {
        self.offers.iter().any(|offer| offer.subscription.events.contains(event))
    }

    /// Who is listed at a point, in load order (`intercept.phase-host`).
    pub(crate) fn listed(&self, point: Point, phase: &Phase) -> Vec<usize> {
        let is_listed = |owner: &usize| self.offers[*owner].standing(point, phase).is_some();
        (0..self.offers.len()).filter(is_listed).collect()
    }

    /// How one extension is listed at a point now.
    pub(crate) fn listed_of(&self, owner: usize, point: Point, phase: &Phase) -> Option<Listed> {
        self.offers[owner].listed(owner, point, phase)
    }

    /// The points at which nothing passes, because the extension cannot be asked there.
    pub(crate) fn closed_points(&self, owner: usize) -> Vec<String> {
        let offer = &self.offers[owner];
        let is_closed = |point: &Point| {
            [Phase::Intercept, Phase::Guard].iter().any(|phase| {
                let listed = offer.listed(owner, *point, phase);
                listed.is_some_and(|listed| {
                    listed.standing != Standing::Asked && listed.on_failure == OnFailure::Block
                })
            })
        };
        let points = Point::ALL.into_iter().filter(is_closed);
        points.map(|point| point.as_str().to_owned()).collect()
    }

    /// Guards that were declared and are not registered by an extension that is ready: point, and
    /// where they are declared.
    pub(crate) fn missing_guards(&self, owner: usize) -> Vec<(&'static str, &'static str)> {
        let missing = Point::ALL.into_iter().filter_map(|point| {
            match self.offers[owner].standing(point, &Phase::Guard)?.0 {
                Standing::Missing { declared_in } => Some((point.as_str(), declared_in)),
                _ => None,
            }
        });
        missing.collect()
    }

    /// The events, intercepts and guards an extension asked for.
    pub(crate) fn subscription(&self, owner: usize) -> Subscribe {
        let subscription = &self.offers[owner].subscription;
        let names = |names: &BTreeSet<String>| Some(names.iter().cloned().collect());
        let on_failure = &subscription.on_failure;
        Subscribe {
            events: names(&subscription.events),
            intercept: names(&subscription.intercept),
            guards: names(&subscription.guards),
            on_failure: Some(on_failure.clone()).filter(|modes| !modes.is_empty()),
            filters: Some(subscription.filters.clone()).filter(|filters| !filters.is_empty()),
        }
    }
}

/// What becomes of what an extension promised.
impl Offer {
    /// Its process has died: what it promised holds on (`guard.gone`).
    pub(super) fn outlived(self) -> Self {
        let promised = match self.promised {
            // This process never said that all is registered, so what the one before promised holds
            // too.
            Some(mut promised) => {
                promised.add(self.subscription);
                promised
            }
            None => self.subscription,
        };
        Self {
            extension: self.extension,
            guards: self.guards,
            failed: self.failed,
            is_unguarded: self.is_unguarded,
            is_taken_away: self.is_taken_away,
            disabled: self.disabled,
            is_inactive: self.is_inactive,
            kept: self.kept,
            is_reloading: self.is_reloading,
            is_first_start: self.is_first_start,
            user: self.user,
            promised: Some(promised),
            ..Self::default()
        }
    }
}
