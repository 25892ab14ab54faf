//! What was changed of a schema, and why one cannot be rendered.

use std::fmt;

use thiserror::Error;

macro_rules! kinds {
    ($(#[$doc:meta])* $kind:ident { $($(#[$each:meta])* $name:ident = $id:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $kind {
            $($(#[$each])* $name,)*
        }

        impl $kind {
            /// Its name in JSON.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }
        }
    };
}

kinds! {
    /// What was changed of a schema.
    NoteKind {
        /// The type was said, which followed from the rest.
        Typed = "typed",
        /// What a reference leads to stands in its place.
        Inlined = "inlined",
        /// Schemas that hold together (`allOf`) became one.
        Merged = "merged",
        /// Alternatives are said otherwise.
        Alternatives = "alternatives",
        /// That a value may be null is said otherwise.
        Nullable = "nullable",
        /// A member that may be left out has to be given, and may be null. [`without_nulls`](super::without_nulls)
        /// takes that back in the arguments.
        Required = "required",
        /// An object has no members but those that are listed.
        Closed = "closed",
        /// A keyword was taken off. The host still checks what it says.
        TakenOff = "taken_off",
    }
}

kinds! {
    /// Why a schema cannot be rendered.
    Reason {
        /// The name of the tool.
        Name = "name",
        /// The name of an argument.
        PropertyName = "property_name",
        /// The root is no object.
        RootType = "root_type",
        /// Alternatives at the root.
        RootChoices = "root_choices",
        /// A reference that leads nowhere, or out of the schema.
        Reference = "reference",
        /// A reference that leads back to where it stands.
        Recursion = "recursion",
        /// Schemas that hold together, and contradict each other or cannot be made one.
        Conflict = "conflict",
        /// A value of which nothing says what it is.
        Untyped = "untyped",
        /// No value fits.
        NoValue = "no_value",
        /// An object whose members have no names in the schema.
        FreeForm = "free_form",
        /// A list with a schema for each place.
        Tuple = "tuple",
        /// Nested too deep.
        TooDeep = "too_deep",
        /// Too much of something.
        TooLarge = "too_large",
        /// Something that is no schema where one should stand.
        NotASchema = "not_a_schema",
    }
}

/// One change, so that nothing is dropped in silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What was done.
    pub kind: NoteKind,
    /// Where, as a JSON pointer into the schema that was given; the schemas of an `allOf` count as one there,
    /// and `oneOf` as `anyOf`.
    pub pointer: String,
    /// A sentence for the author of the tool.
    pub text: String,
}

/// Why a provider cannot be given a schema, and where: a sentence for the author of the tool.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub struct Unrenderable {
    /// What is in the way.
    pub reason: Reason,
    /// Where, as in [`Note::pointer`]; empty for the root and for a name.
    pub pointer: String,
    /// What it is and what to do about it.
    pub text: String,
}

impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", place(&self.pointer), self.text)
    }
}

impl fmt::Display for Unrenderable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason {
            Reason::Name => formatter.write_str(&self.text),
            _ => write!(formatter, "{}: {}", place(&self.pointer), self.text),
        }
    }
}

fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the root" } else { pointer }
}
