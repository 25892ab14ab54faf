//! A panel on a screen that knows only lines: drawn as text, its keys typed as words.

use std::io::{self, Write};
use std::time::Duration;

use extline_host::{Panel, PanelView};
use tokio::time::timeout;

/// How long a key may take to show; one that draws nothing takes it all.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) fn draw(view: &PanelView, screen: &mut impl Write) -> io::Result<()> {
    writeln!(screen, "  == {}", view.title)?;
    for line in &view.lines {
        writeln!(screen, "  |  {line}")?;
    }
    writeln!(screen, "  -- {}", view.footer)
}

/// Passes on what the user typed, the name of a key or text, and draws what came of it.
pub(crate) async fn press(
    mut panel: Panel,
    typed: &str,
    screen: &mut impl Write,
) -> io::Result<()> {
    const KEYS: [&str; 8] = ["up", "down", "left", "right", "enter", "backspace", "delete", "esc"];
    // What was drawn before is no answer to the keys.
    let _ = timeout(Duration::ZERO, panel.changed()).await;
    if KEYS.contains(&typed) {
        panel.key(typed);
        let _ = timeout(PATIENCE, panel.changed()).await;
    } else {
        let text = if typed == "space" { " " } else { typed };
        for character in text.chars() {
            panel.text(character.encode_utf8(&mut [0; 4]));
            let _ = timeout(PATIENCE, panel.changed()).await;
        }
    }
    if panel.is_open() { draw(&panel.view(), screen) } else { writeln!(screen, "  == closed") }
}
