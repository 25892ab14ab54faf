//! JSON text to Python objects, without a value in between: one place knows Python's types.

#![forbid(unsafe_code)]

mod keys;
mod load;

pub use load::{load, load_object};
