//! Gives the shared library its name for the loader, which cargo does not.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // Before 1.0 a new minor version may change the ABI.
    let abi = version.rsplit_once('.').map_or(version.as_str(), |(abi, _)| abi);
    if target == "linux" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libextline.so.{abi}");
    }
}
