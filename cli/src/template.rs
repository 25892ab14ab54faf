//! The extensions that `extline new` writes, as they stand in `templates/`.

/// A file of a template. `{{name}}` and the like are filled in. A line that begins with `{{from_clone}}` is
/// written where the SDK is a folder of a clone, one with `{{from_registry}}` where it is the published one.
pub(crate) struct TemplateFile {
    pub(crate) path: &'static str,
    pub(crate) text: &'static str,
    pub(crate) is_program: bool,
}

/// A language that an extension can be begun in.
pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) files: &'static [TemplateFile],
    pub(crate) sdk: Option<Sdk>,
    /// Makes it ready to run, where it is not ready as it is written.
    pub(crate) build: Option<Build>,
}

/// The command that makes an extension ready to run.
pub(crate) struct Build {
    /// With the SDK in a folder of a clone.
    pub(crate) from_clone: &'static str,
    /// With the SDK as it is published.
    pub(crate) from_registry: &'static str,
}

/// What an extension in a language is written on, in a clone.
pub(crate) struct Sdk {
    /// In a clone of this repository.
    pub(crate) folder: &'static str,
    /// The file in it that names the package.
    pub(crate) manifest: &'static str,
}

/// Builds the SDK, and links it: npm builds nothing that it finds in a folder.
const NPM: Option<Build> = Some(Build {
    from_clone: "(cd {{sdk_path}} && npm ci && npm run build) && npm install --prefix {{dir}}",
    from_registry: "npm install --prefix {{dir}}",
});

const CARGO: Option<Build> = Some(Build {
    from_clone: "cargo build --manifest-path {{dir}}/Cargo.toml",
    from_registry: "cargo build --manifest-path {{dir}}/Cargo.toml",
});

const PIP: Option<Build> = Some(Build {
    from_clone: "python3 -m venv {{dir}}/.venv && {{dir}}/.venv/bin/pip install {{sdk_path}}",
    from_registry: "python3 -m venv {{dir}}/.venv && {{dir}}/.venv/bin/pip install extline",
});

const MAKE: Option<Build> = Some(Build {
    from_clone: "make -C {{sdk_path}} install PREFIX=\"$HOME/.local\" && make -C {{dir}}",
    from_registry: "make -C {{dir}}",
});

const NODE: Option<Sdk> = Some(Sdk { folder: "sdk-node", manifest: "package.json" });

pub(crate) const LANGUAGES: [Language; 6] = [
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
        sdk: Some(Sdk { folder: "sdk-rust", manifest: "Cargo.toml" }),
        build: CARGO,
    },
    Language {
        name: "python",
        files: &[
            file("extension.json", include_str!("../templates/python/extension.json")),
            file("extension.py", include_str!("../templates/python/extension.py")),
            file("test_extension.py", include_str!("../templates/python/test_extension.py")),
            file("README.md", include_str!("../templates/python/README.md")),
            file(".gitignore", include_str!("../templates/python/gitignore")),
        ],
        sdk: Some(Sdk { folder: "sdk-python", manifest: "pyproject.toml" }),
        build: PIP,
    },
    Language {
        name: "typescript",
        files: &[
            file("extension.json", include_str!("../templates/typescript/extension.json")),
            file("package.json", include_str!("../templates/typescript/package.json")),
            file("tsconfig.json", include_str!("../templates/typescript/tsconfig.json")),
            file("extension.ts", include_str!("../templates/typescript/extension.ts")),
            file("extension.test.ts", include_str!("../templates/typescript/extension.test.ts")),
            file("README.md", include_str!("../templates/typescript/README.md")),
            file(".gitignore", include_str!("../templates/typescript/gitignore")),
        ],
        sdk: NODE,
        build: NPM,
    },
    Language {
        name: "javascript",
        files: &[
            file("extension.json", include_str!("../templates/javascript/extension.json")),
            file("package.json", include_str!("../templates/javascript/package.json")),
            file("extension.js", include_str!("../templates/javascript/extension.js")),
            file("extension.test.js", include_str!("../templates/javascript/extension.test.js")),
            file("README.md", include_str!("../templates/javascript/README.md")),
            file(".gitignore", include_str!("../templates/javascript/gitignore")),
        ],
        sdk: NODE,
        build: NPM,
    },
    Language {
        name: "c",
        files: &[
            file("extension.json", include_str!("../templates/c/extension.json")),
            file("extension.c", include_str!("../templates/c/extension.c")),
            file("extension.toml", include_str!("../templates/c/extension.toml")),
            // In a file of its real name make would see a recipe for this folder.
            file("Makefile", include_str!("../templates/c/Makefile.in")),
            file("README.md", include_str!("../templates/c/README.md")),
            file(".gitignore", include_str!("../templates/c/gitignore")),
        ],
        sdk: Some(Sdk { folder: "sdk-c", manifest: "packaging/extline.pc.in" }),
        build: MAKE,
    },
    Language {
        name: "sh",
        files: &[
            file("extension.json", include_str!("../templates/sh/extension.json")),
            program("extension.sh", include_str!("../templates/sh/extension.sh")),
            file("README.md", include_str!("../templates/sh/README.md")),
        ],
        sdk: None,
        build: None,
    },
];

const fn file(path: &'static str, text: &'static str) -> TemplateFile {
    TemplateFile { path, text, is_program: false }
}

const fn program(path: &'static str, text: &'static str) -> TemplateFile {
    TemplateFile { path, text, is_program: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_manifest_says_where_its_extension_guards() {
        for language in &LANGUAGES {
            let manifest =
                language.files.iter().find(|file| file.path == "extension.json").unwrap();
            let manifest: serde_json::Value = serde_json::from_str(manifest.text).unwrap();
            assert_eq!(manifest["guards"], serde_json::json!([]), "{}", language.name);
            let registers = |file: &TemplateFile| file.text.contains("guard(");
            assert!(!language.files.iter().any(registers), "name its point there");
        }
    }
}
