//! How the shared library is linked, as far as cargo does not know.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of_target = |name: &str| env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    match of_target("OS").as_str() {
        "linux" => {
            name_it_for_the_loader("-soname,libextline.so.{abi}");
            if of_target("ENV") == "gnu" {
                unwind_by_itself();
            }
        }
        // Found by the rpath of the program; an installation may name its own folder instead.
        "macos" => name_it_for_the_loader("-install_name,@rpath/libextline.{abi}.dylib"),
        _ => {}
    }
}

/// Programs that are linked to the library ask the loader for that name.
fn name_it_for_the_loader(option: &str) {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Before 1.0 a new minor version may change the ABI.
    let abi = version.rsplit_once('.').map_or(version.as_str(), |(abi, _)| abi);
    println!("cargo::rustc-cdylib-link-arg=-Wl,{}", option.replace("{abi}", abi));
}

/// Rust links the shared `libgcc_s` for its unwinder, and no flag says otherwise; so the linker finds
/// one that stands for the static unwinder. To load the shared one takes 0.13 ms, a tenth of the
/// start of a program in C. No unwinding crosses the border of the library, so two unwinders in
/// one process never meet.
fn unwind_by_itself() {
    let folder = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    match fs::write(folder.join("libgcc_s.so"), "INPUT(-lgcc_eh -lgcc)\n") {
        Ok(()) => println!("cargo::rustc-link-search=native={}", folder.display()),
        Err(error) => println!("cargo::warning=the library will load libgcc_s: {error}"),
    }
}
