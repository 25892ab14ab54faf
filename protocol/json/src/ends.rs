//! Where the values of an object's members end, for those who read one of them later: they need not
//! go over the others once more.

/// For so many members it is remembered. Few tools have more arguments.
const MEMBERS: usize = 4;

/// The end of each of an object's first values, counted from the beginning of its text:
/// [`RawJson::ends`](super::RawJson::ends).
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends([u32; MEMBERS]);

impl Ends {
    /// Remembers where the value of a member ends, by the member's place in the text.
    pub(super) fn set(&mut self, place: usize, end: usize) {
        if let (Some(known), Ok(end)) = (self.0.get_mut(place), u32::try_from(end)) {
            *known = end;
        }
    }

    /// Where the value of a member ends; `None` where that is not known.
    pub(super) fn of(self, place: usize) -> Option<usize> {
        // No value ends where its object begins.
        self.0.get(place).filter(|end| **end > 0).map(|end| *end as usize)
    }
}
