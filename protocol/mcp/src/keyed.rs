//! What belongs to questions that are open: there are few, so they are looked through.

use crate::server::QuestionKey;

/// One for each question, in the order in which they were asked.
#[derive(Debug)]
pub(crate) struct Keyed<T>(Vec<(QuestionKey, T)>);

impl<T> Default for Keyed<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Keyed<T> {
    /// For a question that has none yet.
    pub(crate) fn insert(&mut self, key: QuestionKey, value: T) {
        self.0.push((key, value));
    }

    pub(crate) fn get(&self, key: QuestionKey) -> Option<&T> {
        self.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    pub(crate) fn remove(&mut self, key: QuestionKey) -> Option<T> {
        let place = self.0.iter().position(|(known, _)| *known == key)?;
        Some(self.0.remove(place).1)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (QuestionKey, &T)> {
        self.0.iter().map(|(key, value)| (*key, value))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}
