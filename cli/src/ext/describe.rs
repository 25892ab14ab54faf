//! `extline ext describe`: what a model reads of a tool, in its user's words. The words stand beside the other
//! settings of the tool, so that `extline config --tool` sees them too.

use crate::args::{Config, ExtDescribe};
use crate::config;
use crate::exit::Exit;
use crate::printer::Printer;

pub(super) fn run(describe: ExtDescribe, printer: Printer) -> Exit {
    let ExtDescribe { extension, tool, text, parameter, unset } = describe;
    let key = match parameter {
        // What begins like a pointer is one: it leads deeper than to a parameter of the root.
        Some(deeper) if deeper.starts_with('/') => deeper,
        Some(name) => format!("/properties/{}", name.replace('~', "~0").replace('/', "~1")),
        None => "description".to_owned(),
    };
    let (key, unset) = if unset { (None, Some(key)) } else { (Some(key), None) };
    let asked = Config { extension, key, value: text, unset, tool: Some(tool) };
    config::run(&asked, printer)
}
