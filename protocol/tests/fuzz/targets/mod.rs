//! The fuzz targets: functions that take any bytes and panic when a promise is broken. They run on
//! the corpus and on mutations of it in `cargo test`, and for as long as one likes in `make fuzz`.

mod args;
mod decoder;
mod extension_session;
mod frame;
mod host_session;
mod script;
mod wire;

/// A function that must take any bytes.
pub(crate) type Target = fn(&[u8]);

/// Every target by its name, which is also its folder in the corpus.
pub(crate) const TARGETS: [(&str, Target); 5] = [
    ("decoder", decoder::run),
    ("frame", frame::run),
    ("extension_session", extension_session::run),
    ("host_session", host_session::run),
    ("args", args::run),
];

/// The target of that name.
pub(crate) fn target(name: &str) -> Target {
    let found = TARGETS.into_iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("there is no fuzz target {name}")).1
}
