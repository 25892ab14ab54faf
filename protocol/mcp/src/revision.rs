//! The revisions of MCP that are spoken, and which era each belongs to.

/// A revision of MCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// The first one.
    V2024_11_05,
    /// Batches, which no client sends any more.
    V2025_03_26,
    /// Structured results and elicitation.
    V2025_06_18,
    /// The last one with a handshake.
    V2025_11_25,
    /// Without a handshake: each request says what its client speaks.
    V2026_07_28,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The one whose requests carry their own version.
    pub const MODERN: Self = Self::V2026_07_28;

    /// The newest that begins with `initialize`.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// As it stands on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether each request carries its version, and no handshake comes before.
    pub fn is_modern(self) -> bool {
        self >= Self::MODERN
    }

    /// What `initialize` is answered with: the revision that was asked for, or the newest with a handshake.
    pub fn negotiated(asked: &str) -> Self {
        Self::named(asked).filter(|revision| !revision.is_modern()).unwrap_or(Self::NEWEST_LEGACY)
    }

    /// The revision of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_ends_with_a_revision_that_has_one() {
        assert_eq!(Revision::negotiated("2025-06-18"), Revision::V2025_06_18);
        assert_eq!(Revision::negotiated("2026-07-28"), Revision::V2025_11_25);
        assert_eq!(Revision::negotiated("1999-01-01"), Revision::V2025_11_25);
    }
}
