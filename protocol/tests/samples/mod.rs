//! One minimal and one full sample of every frame, for the tests that must not miss one.

mod extension;
mod host;

use extline_protocol::RawJson;
use extline_protocol::frame::{AnyFrame, Content};

pub(crate) use extension::extension_frames;
pub(crate) use host::host_frames;

/// A frame with nothing beyond what must be there, and one with every member.
pub(crate) struct Sample<F> {
    pub(crate) minimal: F,
    pub(crate) full: F,
}

impl<F: AnyFrame> Sample<F> {
    fn new(minimal: impl Into<F>, full: impl Into<F>) -> Self {
        let (minimal, full) = (minimal.into(), full.into());
        assert_eq!(minimal.frame_type(), full.frame_type());
        Self { minimal, full }
    }

    pub(crate) fn frame_type(&self) -> &str {
        self.full.frame_type()
    }
}

/// The canonical line of a frame, without its LF.
pub(crate) fn line<F: AnyFrame>(frame: &F) -> String {
    let mut bytes = Vec::new();
    frame.write_line(&mut bytes);
    let line = String::from_utf8(bytes).expect("a line is UTF-8");
    line.strip_suffix('\n').expect("a line ends in LF").to_owned()
}

#[expect(clippy::unnecessary_wraps, reason = "for members that may be absent")]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn list(items: &[&str]) -> Vec<String> {
    items.iter().copied().map(str::to_owned).collect()
}

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).expect("valid JSON")
}

fn blocks() -> Vec<Content> {
    vec![
        Content::text("18 °C, \"clear\"\n"),
        Content::markdown("**18 °C**"),
        Content::Image { mime_type: "image/png".to_owned(), data: "iVBORw0KGgo=".to_owned() },
    ]
}
