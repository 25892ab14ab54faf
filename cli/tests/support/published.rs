//! The schemas that others publish for files of theirs (`cli/tests/schemas`).

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Holds a file of an agent, or of a package, to the schema of that name.
pub(crate) fn validates(schema: &str, file: &Value) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let text = fs::read_to_string(folder.join(format!("{schema}.schema.json"))).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<_> =
        validator.iter_errors(file).map(|it| format!("{}: {it}", it.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{file}");
}
