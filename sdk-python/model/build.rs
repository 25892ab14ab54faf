//! How the module is linked, as far as cargo does not know.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Maturin says the same; this is for a plain `cargo build`. Python's symbols are there once an
    // interpreter loads the module, and the linker of macOS wants to be told so.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("macos") {
        println!("cargo::rustc-cdylib-link-arg=-undefined");
        println!("cargo::rustc-cdylib-link-arg=dynamic_lookup");
    }
}
