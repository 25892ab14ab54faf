//! Closed vocabularies that stay open on the wire: a word this version does not know is kept as
//! its text, so that nothing is lost on the way through.

/// Declares an enum of words with a variant for unknown ones.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident {
        $( $(#[$word_meta:meta])* $word:ident = $text:literal, )*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $( $(#[$word_meta])* $word, )*
            /// A word that this version does not know, as it came.
            Other(Box<str>),
        }

        impl $name {
            /// The words this version knows, as they stand on the wire.
            pub const KNOWN: &'static [&'static str] = &[$($text),*];

            /// The word as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $( Self::$word => $text, )*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $( $text => Self::$word, )*
                    _ => Self::Other(text.into()),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(self.as_str())
            }
        }

        impl crate::json::Field for $name {
            fn read(text: &str) -> Result<Self, crate::json::FieldError> {
                match crate::json::read_string(text) {
                    Some(word) => Ok(Self::from(&*word)),
                    None => Err(crate::json::FieldError::unexpected("a string", text)),
                }
            }

            fn write(&self, out: &mut Vec<u8>) {
                crate::json::write_string(self.as_str(), out);
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({"type": "string", "examples": Self::KNOWN})
            }
        }
    };
}

pub(crate) use words;
