//! The texts that the tester carries, which the build script of this crate packs: the cases, the clauses, the schemas
//! of frames, and what is known of causes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static TEXTS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let bytes = include_bytes!(concat!(env!("OUT_DIR"), "/texts.z"));
    let texts = miniz_oxide::inflate::decompress_to_vec_zlib(bytes)
        .ok()
        .and_then(|texts| String::from_utf8(texts).ok())
        .unwrap_or_else(|| unreachable!("the build script packs what can be unpacked"));
    // They are kept until the process ends, as what is in the program itself is.
    let mut parts = texts.leak().split_terminator('\0');
    std::iter::from_fn(|| Some((parts.next()?, parts.next()?))).collect()
});

/// The text of a file of this crate, by its path from the crate on.
pub(crate) fn packed(name: &str) -> &'static str {
    TEXTS.get(name).unwrap_or_else(|| unreachable!("the build script does not pack {name}"))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn each_text_is_the_file_of_its_name() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let cases = fs::read_dir(root.join("cases")).unwrap().count();
        assert!(TEXTS.len() > cases, "{:?}", TEXTS.keys());
        for (name, text) in &*TEXTS {
            assert_eq!(*text, fs::read_to_string(root.join(name)).unwrap(), "{name}");
        }
    }
}
