//! Content that is cut to what an answer to `call_tool` and an event may hold (`call.truncated`).

use super::content::Content;
use crate::limits::CALL_TOOL_BYTES;

/// Keeps the beginning of the content; whether anything was left out. Text is cut between two
/// characters, any other block is kept whole or left out, and nothing follows what was cut.
pub(crate) fn truncate(content: &mut Vec<Content>) -> bool {
    let mut room = CALL_TOOL_BYTES;
    for (position, block) in content.iter_mut().enumerate() {
        let size = size_of(block);
        if size <= room {
            room -= size;
            continue;
        }
        let kept = match block {
            Content::Text(text) => {
                let end = (0..=room).rev().find(|at| text.is_char_boundary(*at));
                text.truncate(end.unwrap_or_default());
                position + usize::from(!text.is_empty())
            }
            _ => position,
        };
        content.truncate(kept);
        return true;
    }
    false
}

fn size_of(block: &Content) -> usize {
    match block {
        Content::Text(text) => text.len(),
        Content::Image { mime_type, data } => mime_type.len() + data.len(),
        Content::Other(raw) | Content::TextJson(raw) => raw.get().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(bytes: usize) -> Content {
        Content::Image { mime_type: "image/png".to_owned(), data: "A".repeat(bytes) }
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let whole = || vec![Content::text("x".repeat(CALL_TOOL_BYTES - 109)), image(100)];
        let mut content = whole();
        assert!(!truncate(&mut content));
        assert_eq!(content, whole());
    }

    #[test]
    fn text_is_cut_between_two_characters_and_nothing_follows() {
        let mut content = vec![Content::text("x".repeat(CALL_TOOL_BYTES - 3))];
        content.extend([Content::text("üüü"), Content::text("x")]);
        assert!(truncate(&mut content));
        assert_eq!(content[1..], [Content::text("ü")]);
    }

    #[test]
    fn an_image_is_kept_whole_or_left_out() {
        let mut content = vec![Content::text("a picture"), image(CALL_TOOL_BYTES), image(1)];
        assert!(truncate(&mut content));
        assert_eq!(content, [Content::text("a picture")]);
        let mut content = vec![image(CALL_TOOL_BYTES - 9), Content::text("x")];
        assert!(truncate(&mut content));
        assert_eq!(content, [image(CALL_TOOL_BYTES - 9)]);
    }
}
