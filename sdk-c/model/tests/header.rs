//! `../include/extline_model.h` is what the sources say.

use std::env;
use std::fs;
use std::path::Path;

use cbindgen::{Builder, Config};

#[test]
fn the_header_is_made_from_the_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = Config::from_file(root.join("cbindgen.toml")).expect("cbindgen.toml");
    let mut made = Vec::new();
    let bindings = Builder::new().with_crate(root).with_config(config).generate();
    bindings.expect("the sources can be read").write(&mut made);
    let path = root.join("../include/extline_model.h");
    if env::var_os("EXTLINE_GENERATE").is_some() {
        fs::write(&path, made).expect("include/extline_model.h can be written");
        return;
    }
    let is_same = fs::read(&path).unwrap_or_default() == made;
    assert!(
        is_same,
        "include/extline_model.h is not what the sources say: run scripts/generate.sh"
    );
}
