//! How often one value can be looked at, told from the schema alone: most schemas look so seldom
//! that nobody need count.

use crate::graph::{Charge, Graph};

/// Levels of a value for which it is told.
const LEVELS: usize = 8;

/// The most steps that a schema takes for any value, by the level of that value: the first is the
/// whole, the next its members.
#[derive(Debug)]
pub(crate) struct Bound {
    by_level: [u64; LEVELS],
    /// Subschemas that may look at one value, one inside the other.
    chain: usize,
}

impl Bound {
    /// `None` when nothing can be told.
    pub(crate) fn of(graph: &Graph) -> Option<Self> {
        let order = graph.order.as_ref().filter(|_| !graph.looks_again)?;
        let mut by_level = [0; LEVELS];
        // Of each node, what it costs at a value so many levels below the one it looks at.
        let mut above = vec![0_u64; graph.nodes.len()];
        for (level, most) in by_level.iter_mut().enumerate() {
            let mut here = vec![0_u64; graph.nodes.len()];
            for id in order {
                let node = &graph.nodes[*id];
                let Charge { own, text, member, inside } = node.charge;
                let itself = if level == 0 {
                    // The value itself is one of those inside of it.
                    own.saturating_add(text).saturating_add(member).saturating_add(inside)
                } else {
                    let named = node.named.iter().map(|child| above[*child]).max().unwrap_or(0);
                    let every = node.every.iter().map(|child| above[*child]);
                    every.fold(named.saturating_add(inside), u64::saturating_add)
                };
                let in_place = node.in_place.iter().map(|child| here[*child]);
                here[*id] = in_place.fold(itself, u64::saturating_add);
            }
            *most = here.first().copied().unwrap_or(0);
            above = here;
        }
        Some(Self { by_level, chain: graph.longest_chain() })
    }

    /// What a validation of arguments of that many bytes and levels takes, at most.
    pub(crate) fn steps(&self, bytes: usize, levels: usize) -> u64 {
        if levels >= LEVELS {
            return u64::MAX;
        }
        let most = self.by_level[..=levels].iter().copied().max().unwrap_or(u64::MAX);
        // A value takes two bytes with what stands between it and the next.
        most.saturating_mul(bytes as u64 / 2 + 1)
    }

    /// Schemas open at once, one inside the other.
    pub(crate) fn open(&self, levels: usize) -> usize {
        self.chain * (levels + 1)
    }
}

#[cfg(test)]
mod tests {
    use extline_protocol::{Members, RawJson};
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::{random, steps};

    #[test]
    fn a_value_counts_among_those_inside_of_it() {
        let schema = serde_json::json!({"allOf": [{}], "$defs": {"d": {"contains": {}}}});
        let graph = Graph::of(&schema).unwrap();
        let bound = Bound::of(&graph).unwrap();
        let charge = |node: &crate::graph::Node| node.charge.own + node.charge.inside;
        let looked_at = [&graph.nodes[0], &graph.nodes[graph.nodes[0].in_place[0]]];
        assert_eq!(bound.steps(1, 0), looked_at.into_iter().map(charge).sum::<u64>());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_validation_takes_more_steps_than_the_bound(
            schema in random::schema(random::Keywords::All),
            args in proptest::collection::vec(random::value(), 8),
        ) {
            let Ok(graph) = Graph::of(&schema) else { return Ok(()) };
            let Some(bound) = Bound::of(&graph) else { return Ok(()) };
            let mut counting = schema.clone();
            steps::insert(&mut counting, &graph);
            let options = jsonschema::options().offline().should_validate_formats(false);
            let options =
                options.with_keyword(steps::KEYWORD, |_, value, _| Ok(steps::keyword(value)));
            let Ok(counting) = options.build(&counting) else { return Ok(()) };
            for args in args {
                let raw = RawJson::from(args.clone());
                let levels = Members::of(raw.get()).map_or(0, |members| members.depth);
                let most = bound.steps(raw.get().len(), levels);
                let is_valid = |args: &Value| counting.is_valid(args);
                let within = steps::within(most, 1 << 20, || is_valid(&args));
                prop_assert!(within.is_ok(), "{:?} of {} for {}", within, most, raw);
            }
        }
    }
}
