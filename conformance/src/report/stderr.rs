//! The part of stderr that tells an author something: not the insides of interpreters.

/// How many lines are shown of the beginning, where Node says what is wrong, and of the end, where
/// Python does.
const HEAD: usize = 4;
const TAIL: usize = 4;

/// The lines worth showing, each place where some are left out marked.
pub(super) fn shown(lines: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = Vec::new();
    let mut left_out = 0;
    let mut inside = false;
    for line in lines {
        let was_inside = std::mem::replace(&mut inside, is_inside(line));
        // Python shows the source below each place.
        let is_source = was_inside && !inside && line.starts_with("    ");
        if inside || is_source || is_decoration(line) {
            left_out += usize::from(!is_decoration(line));
            continue;
        }
        mark(&mut shown, &mut left_out);
        shown.push(line.clone());
    }
    mark(&mut shown, &mut left_out);
    let more = shown.len().saturating_sub(HEAD + TAIL);
    if more > 1 {
        shown.splice(HEAD..HEAD + more, [format!("({more} lines are left out)")]);
    }
    shown
}

fn mark(shown: &mut Vec<String>, left_out: &mut usize) {
    if *left_out > 0 {
        shown.push(format!("({left_out} lines of its interpreter are left out)"));
        *left_out = 0;
    }
}

/// A place in the interpreter's own library.
fn is_inside(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") && line.contains("(node:")
        || line.starts_with("File \"") && line.contains("/lib/python")
        || line.starts_with("File \"<frozen ")
}

/// A line that underlines another, or a blank one.
fn is_decoration(line: &str) -> bool {
    line.chars().all(|letter| letter.is_whitespace() || "^~".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn the_author_s_own_lines_and_the_reason_stay() {
        let python = [
            "Traceback (most recent call last):",
            "  File \"/home/me/hello.py\", line 13, in <module>",
            "    msg = json.loads(line)",
            "          ^^^^^^^^^^^^^^^^",
            "  File \"/usr/lib/python3.11/json/__init__.py\", line 346, in loads",
            "    return _default_decoder.decode(s)",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^",
            "  File \"/usr/lib/python3.11/json/decoder.py\", line 337, in decode",
            "    obj, end = self.raw_decode(s, idx=_w(s, 0).end())",
            "json.decoder.JSONDecodeError: Expecting value: line 2 column 1 (char 1)",
        ];
        assert_eq!(
            shown(&python.map(str::to_owned)),
            [
                "Traceback (most recent call last):",
                "  File \"/home/me/hello.py\", line 13, in <module>",
                "    msg = json.loads(line)",
                "(4 lines of its interpreter are left out)",
                "json.decoder.JSONDecodeError: Expecting value: line 2 column 1 (char 1)",
            ]
        );
        let node = [
            "file:///home/me/x.mjs:24",
            "  if (msg.type === \"tool_call\") {",
            "          ^",
            "",
            "TypeError: Cannot read properties of null (reading 'type')",
            "    at Interface.<anonymous> (file:///home/me/x.mjs:24:11)",
            "    at Interface.emit (node:events:524:28)",
            "    at [_onLine] [as _onLine] (node:internal/readline/interface:416:12)",
        ];
        assert_eq!(
            shown(&node.map(str::to_owned)),
            [
                "file:///home/me/x.mjs:24",
                "  if (msg.type === \"tool_call\") {",
                "TypeError: Cannot read properties of null (reading 'type')",
                "    at Interface.<anonymous> (file:///home/me/x.mjs:24:11)",
                "(2 lines of its interpreter are left out)",
            ]
        );
    }

    #[test]
    fn what_is_long_is_cut_in_the_middle() {
        let lines: Vec<String> = (1..=20).map(|number| format!("line {number}")).collect();
        let shown = shown(&lines);
        assert_eq!(shown.len(), 9);
        assert_eq!(shown[4], "(12 lines are left out)");
        assert_eq!(shown[8], "line 20");
    }
}
