//! The extensions that `extline new` writes, as they stand in `templates/`.

/// A file of a template. `{{name}}` and the like are filled in.
pub(crate) struct TemplateFile {
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    pub(crate) is_program: bool,
}

/// A language that an extension can be begun in.
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) files: &'static [TemplateFile],
    /// Makes it ready to run, where it is not ready as it is written.
    pub(crate) build: Option<&'static str>,
}

pub(crate) const LANGUAGES: [Language; 2] = [
    Language {
        name: "rust",
        files: &[
            file("extension.json", include_str!("../templates/rust/extension.json")),
            // In a file of its real name cargo would see a package.
            file("Cargo.toml", include_str!("../templates/rust/Cargo.toml.in")),
            file("src/main.rs", include_str!("../templates/rust/src/main.rs")),
            file("README.md", include_str!("../templates/rust/README.md")),
            file(".gitignore", include_str!("../templates/rust/gitignore")),
        ],
        build: Some("cargo build --manifest-path {{dir}}/Cargo.toml"),
    },
    Language {
        name: "sh",
        files: &[
            file("extension.json", include_str!("../templates/sh/extension.json")),
            program("extension.sh", include_str!("../templates/sh/extension.sh")),
            file("README.md", include_str!("../templates/sh/README.md")),
        ],
        build: None,
    },
];

/// Languages whose SDK, and so whose template, is still to come.
pub(crate) const COMING: [&str; 3] = ["python", "typescript", "c"];

const fn file(path: &'static str, text: &'static str) -> TemplateFile {
    TemplateFile { path, text, is_program: false }
}

const fn program(path: &'static str, text: &'static str) -> TemplateFile {
    TemplateFile { path, text, is_program: true }
}
