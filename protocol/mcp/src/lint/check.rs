//! What is looked at.

use serde::Deserialize;

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident = $id:literal,)*) => {
        /// Something that a client may mind. Each has a section in docs/mcp/lint.md.
        #[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Check {
            $($(#[$doc])* #[serde(rename = $id)] $name,)*
        }

        impl Check {
            /// All there are.
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$name),*];

            /// As it stands in the data, in JSON, and as the title of its section.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }
        }
    };
}

checks! {
    /// A tool that the host refuses.
    Rejected = "rejected",
    /// A schema whose root is no object.
    RootType = "root-type",
    /// A reference that leads nowhere, or out of its schema.
    DanglingReference = "dangling-reference",
    /// Alternatives or conditions at the root of a schema.
    RootChoices = "root-choices",
    /// An output schema whose root is no plain object.
    OutputSchema = "output-schema",
    /// How long the name is that a client gives a tool.
    NameLength = "name-length",
    /// The same in a plugin of Claude's.
    PluginName = "plugin-name",
    /// Characters of a tool's name.
    NameCharacters = "name-characters",
    /// Two tools that a client calls the same.
    NameClash = "name-clash",
    /// Characters of the server's name.
    ServerName = "server-name",
    /// A list of which nothing says what is in it.
    ArrayItems = "array-items",
    /// The name of an argument.
    PropertyName = "property-name",
    /// A reference that leads back to itself.
    RecursiveReference = "recursive-reference",
    /// A reference.
    Reference = "reference",
    /// Alternatives inside a schema.
    Choices = "choices",
    /// Several types for one value.
    TypeList = "type-list",
    /// The bytes of a schema.
    SchemaSize = "schema-size",
    /// A tool without a description.
    Description = "description",
    /// An argument without a description.
    ParameterDescription = "parameter-description",
    /// The characters of a description.
    DescriptionLength = "description-length",
    /// How many tools there are.
    ToolCount = "tool-count",
    /// What all tools cost.
    ListTokens = "list-tokens",
    /// A result that has no value, or one that does not match the output schema.
    ResultSchema = "result-schema",
    /// An image or a text beside a result's value.
    ResultBeside = "result-beside",
    /// The characters of a result.
    ResultSize = "result-size",
}
