//! What a method is, and all of them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{agent, approval, env, exec, lifecycle, pending, secret, session, state, ui};

/// A method that hosts serve, or extensions. It is a name for a type, and never a value.
pub trait Method: 'static {
    /// Its name on the wire.
    const NAME: &'static str;
    /// Whether its answer waits for a person. Then it is shown alone, one dialog after the other.
    const WAITS_FOR_PERSON: bool;
    /// What it is asked with.
    type Params: DeserializeOwned + Serialize + Send + 'static;
    /// What it answers.
    type Result: DeserializeOwned + Serialize + Send + 'static;

    /// Says what is wrong with it beyond its types, with a JSON pointer to the place.
    fn check(_: &Self::Params) -> Result<(), String> {
        Ok(())
    }

    /// How long the person has, in milliseconds, counted from when the dialog is shown.
    fn timeout_ms(_: &Self::Params) -> Option<u64> {
        None
    }

    /// The answer of a dialog that is closed without one. `None` for a method that shows none.
    fn dismissed(_: ui::Dismissal) -> Option<Self::Result> {
        None
    }
}

/// A method in the list of all.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it is for.
    pub what: &'static str,
    /// Whether its answer waits for a person.
    pub waits_for_person: bool,
    /// Says what is wrong with parameters, JSON text.
    pub check: fn(&str) -> Result<(), String>,
    /// The JSON Schema of what it is asked with.
    #[cfg(feature = "schema")]
    pub params: fn() -> schemars::Schema,
    /// The JSON Schema of each part of its answer, where it has parts.
    #[cfg(feature = "schema")]
    pub part: Option<fn() -> schemars::Schema>,
    /// The JSON Schema of what it answers.
    #[cfg(feature = "schema")]
    pub result: fn() -> schemars::Schema,
}

/// What is wrong with parameters, by their types and beyond.
pub(crate) fn check<M: Method>(params: &str) -> Result<(), String> {
    let params = serde_json::from_str(params).map_err(|error| error.to_string())?;
    M::check(&params)
}

/// Declares methods: dialogs, whose answer is that of a person, and displays, which are only shown.
macro_rules! methods {
    (
        dialogs: $(#[doc = $what:literal] $name:literal: $method:ident($params:ty) -> $result:ty;)*
        displays: $(#[doc = $shows:literal] $display:literal: $shown:ident($of:ty);)*
    ) => {
        $(
            #[doc = $what]
            #[derive(Clone, Copy, Debug)]
            pub enum $method {}

            impl crate::Method for $method {
                const NAME: &'static str = $name;
                const WAITS_FOR_PERSON: bool = true;
                type Params = $params;
                type Result = crate::ui::Answer<$result>;

                fn check(params: &Self::Params) -> Result<(), String> {
                    if params.timeout_ms == Some(0) {
                        return Err("/timeout_ms: a person needs more than 0 ms".to_owned());
                    }
                    params.check()
                }

                fn timeout_ms(params: &Self::Params) -> Option<u64> {
                    params.timeout_ms
                }

                fn dismissed(why: crate::ui::Dismissal) -> Option<Self::Result> {
                    Some(crate::ui::Answer::Dismissed { dismissed: why })
                }
            }
        )*
        $(
            #[doc = $shows]
            #[derive(Clone, Copy, Debug)]
            pub enum $shown {}

            impl crate::Method for $shown {
                const NAME: &'static str = $display;
                const WAITS_FOR_PERSON: bool = false;
                type Params = $of;
                type Result = crate::ui::Shown;

                fn check(params: &Self::Params) -> Result<(), String> {
                    params.check()
                }
            }
        )*

        /// All of them.
        pub const METHODS: &[crate::Entry] = &[
            $(crate::Entry {
                name: $name,
                what: $what.trim_ascii(),
                waits_for_person: true,
                check: crate::method::check::<$method>,
                #[cfg(feature = "schema")]
                params: || schemars::schema_for!($params),
                #[cfg(feature = "schema")]
                part: None,
                #[cfg(feature = "schema")]
                result: || schemars::schema_for!(crate::ui::Answer<$result>),
            },)*
            $(crate::Entry {
                name: $display,
                what: $shows.trim_ascii(),
                waits_for_person: false,
                check: crate::method::check::<$shown>,
                #[cfg(feature = "schema")]
                params: || schemars::schema_for!($of),
                #[cfg(feature = "schema")]
                part: None,
                #[cfg(feature = "schema")]
                result: || schemars::schema_for!(crate::ui::Shown),
            },)*
        ];
    };
}
pub(crate) use methods;

/// Declares methods whose answer is the host's own: no person is asked. One that has parts says what each is.
macro_rules! answered {
    ($(#[doc = $what:literal] $name:literal: $method:ident($params:ty) $(, parts $part:ty)? => $result:ty;)*) => {
        $(
            #[doc = $what]
            #[derive(Clone, Copy, Debug)]
            pub enum $method {}

            impl crate::Method for $method {
                const NAME: &'static str = $name;
                const WAITS_FOR_PERSON: bool = false;
                type Params = $params;
                type Result = $result;

                fn check(params: &Self::Params) -> Result<(), String> {
                    params.check()
                }
            }
        )*

        pub(crate) const METHODS: &[crate::Entry] = &[
            $(crate::Entry {
                name: $name,
                what: $what.trim_ascii(),
                waits_for_person: false,
                check: crate::method::check::<$method>,
                #[cfg(feature = "schema")]
                params: || schemars::schema_for!($params),
                #[cfg(feature = "schema")]
                part: crate::method::answered!(@part $($part)?),
                #[cfg(feature = "schema")]
                result: || schemars::schema_for!($result),
            },)*
        ];
    };
    (@part) => { None };
    (@part $part:ty) => { Some(|| schemars::schema_for!($part)) };
}
pub(crate) use answered;

/// All methods that hosts serve, in the order of their pages.
pub const METHODS: &[Entry] = &joined::<{ count(HOSTS) }>(HOSTS);

const HOSTS: &[&[Entry]] = &[
    ui::METHODS,
    exec::METHODS,
    secret::METHODS,
    env::METHODS,
    state::METHODS,
    session::METHODS,
    pending::METHODS,
    agent::METHODS,
];

const fn count(lists: &[&[Entry]]) -> usize {
    let (mut list, mut all) = (0, 0);
    while list < lists.len() {
        all += lists[list].len();
        list += 1;
    }
    all
}

const fn joined<const N: usize>(lists: &[&[Entry]]) -> [Entry; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut entry = 0;
        while entry < lists[list].len() {
            all[at] = lists[list][entry];
            (entry, at) = (entry + 1, at + 1);
        }
        list += 1;
    }
    all
}

/// All methods that extensions serve, where they do.
pub const EXTENSION_METHODS: &[Entry] = &joined::<{ count(EXTENSIONS) }>(EXTENSIONS);

const EXTENSIONS: &[&[Entry]] =
    &[approval::METHODS, state::EXTENSION_METHODS, pending::EXTENSION_METHODS, lifecycle::METHODS];
