//! Who hears of what happens, and who is asked before it does.

use std::collections::{BTreeMap, BTreeSet};

use extline_protocol::frame::{OnFailure, Phase, Subscribe};

use super::Registry;
use crate::point::Point;

/// What one extension subscribed to.
#[derive(Debug, Default)]
pub(super) struct Subscription {
    pub(super) events: BTreeSet<String>,
    pub(super) intercept: BTreeSet<String>,
    pub(super) guards: BTreeSet<String>,
    /// By point.
    on_failure: BTreeMap<String, OnFailure>,
}

/// An extension that is listed at a point.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// Its place in load order.
    pub(crate) owner: usize,
    /// What it means when it has no usable answer.
    pub(crate) on_failure: OnFailure,
    /// It died: there is nobody to ask, and `on_failure` decides at once.
    pub(crate) is_gone: bool,
}

impl Subscription {
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
        let is_promise = *phase == Phase::Guard || self.declared(point) == Some(&OnFailure::Block);
        is_promise && self.lists(point, phase)
    }
}

impl Registry {
    /// Adds to what the extension subscribed to (`subscribe.additive`).
    pub(crate) fn subscribe(&mut self, owner: usize, subscribe: Subscribe) {
        let subscription = &mut self.offers[owner].subscription;
        subscription.events.extend(subscribe.events.unwrap_or_default());
        subscription.intercept.extend(subscribe.intercept.unwrap_or_default());
        subscription.guards.extend(subscribe.guards.unwrap_or_default());
        subscription.on_failure.extend(subscribe.on_failure.unwrap_or_default());
    }

    /// The extensions that want an event, in load order.
    pub(crate) fn subscribers(&self, event: &str) -> Vec<usize> {
        let wants = |owner: &usize| self.offers[*owner].subscription.events.contains(event);
        (0..self.offers.len()).filter(wants).collect()
    }

    /// Who is listed at a point, in load order (`intercept.phase-host`).
    pub(crate) fn listed(&self, point: Point, phase: &Phase) -> Vec<Listed> {
        let offers = self.offers.iter().enumerate();
        let listed = offers.filter_map(|(owner, offer)| {
            let promised = offer.promised.as_ref();
            let (subscription, is_gone) =
                match promised.filter(|it| it.outlives_its_extension(point, phase)) {
                    Some(promised) => (promised, true),
                    None if offer.subscription.lists(point, phase) => (&offer.subscription, false),
                    None => return None,
                };
            let on_failure = point.on_failure(subscription.declared(point));
            Some(Listed { owner, on_failure, is_gone })
        });
        listed.collect()
    }

    /// The points at which nothing passes since the extension died.
    pub(crate) fn closed_points(&self, owner: usize) -> Vec<String> {
        let Some(promised) = &self.offers[owner].promised else { return Vec::new() };
        let is_closed = |point: &Point| {
            let outlives = |phase| promised.outlives_its_extension(*point, &phase);
            (outlives(Phase::Intercept) || (point.has_guards() && outlives(Phase::Guard)))
                && point.on_failure(promised.declared(*point)) == OnFailure::Block
        };
        let points = Point::ALL.into_iter().filter(is_closed);
        points.map(|point| point.as_str().to_owned()).collect()
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
        }
    }
}
