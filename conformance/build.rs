//! Packs the texts that the tester carries into one file (src/texts.rs unpacks it): four hundred kilobytes of text
//! are one of them packed.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// What is carried beside the cases.
const OTHERS: [&str; 6] = [
    "clauses.json",
    "extension-frames.json",
    "host-frames.json",
    "kit/surface.toml",
    "knowledge.toml",
    "mcp-clauses.toml",
];
/// The level that packs the most.
const LEVEL: u8 = 10;

fn main() {
    let root =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the crate is"));
    let mut names: Vec<String> = OTHERS.map(str::to_owned).into();
    for case in fs::read_dir(root.join("cases")).expect("the cases are there") {
        let case = case.expect("the folder can be read").file_name();
        names.push(format!("cases/{}", case.to_str().expect("the name of a case is ASCII")));
    }
    // The order of a folder is that of the machine.
    names.sort();
    let mut texts = Vec::new();
    for name in &names {
        let text = fs::read_to_string(root.join(name)).expect("a text can be read");
        assert!(!text.contains('\0'), "{name} has a NUL, which ends a text");
        texts.extend_from_slice(format!("{name}\0{text}\0").as_bytes());
        println!("cargo::rerun-if-changed={name}");
    }
    println!("cargo::rerun-if-changed=cases");
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&texts, LEVEL);
    let out = env::var_os("OUT_DIR").expect("cargo says where to write");
    fs::write(Path::new(&out).join("texts.z"), packed).expect("what is packed can be written");
}
