//! Markdown: headings, lists, quotes, code, tables and links, with text wrapped between words.

use extline_services::view::Style;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::row::{Columns, Piece, Row, clean, wrap};
use super::table;

pub(super) fn rows(text: &str, width: usize) -> Vec<Row> {
    let lines: Vec<_> = text.lines().map(clean).collect();
    let text = lines.join("\n");
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page { width, ..Page::default() };
    for event in Parser::new_ext(&text, options) {
        page.take(event);
    }
    page.end_block();
    page.rows
}

/// What a row stands in.
enum Within {
    Quote,
    /// A list, with the number of its next item where it has numbers.
    List(Option<u64>),
    Item {
        marker: String,
        /// Its first row is written.
        is_begun: bool,
    },
}

#[derive(Default)]
struct Page {
    width: usize,
    rows: Vec<Row>,
    /// What the row at hand has so far.
    pieces: Vec<Piece>,
    /// Those that hold for text now, innermost last.
    styles: Vec<Style>,
    within: Vec<Within>,
    /// Where the links go that are open.
    links: Vec<String>,
    is_code: bool,
    /// The rows of a table so far, its heads first.
    table: Vec<Vec<Piece>>,
    /// A blank row comes before the next one.
    is_apart: bool,
}

impl Page {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => self.code(&text),
            Event::Text(text) => self.add(&text, None),
            Event::Code(text) => self.add(&text, Some(Style::Accent)),
            Event::Html(text) | Event::InlineHtml(text) => self.add(&text, Some(Style::Muted)),
            Event::SoftBreak => self.add(" ", None),
            Event::HardBreak => {
                self.pieces.push(Piece { text: "\n".to_owned(), style: Vec::new() });
            }
            Event::Rule => {
                let rule = "─".repeat(self.room());
                self.add(&rule, Some(Style::Muted));
                self.end_block();
            }
            Event::TaskListMarker(is_done) => self.add(if is_done { "☒ " } else { "☐ " }, None),
            // Those of extensions that are not switched on.
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                let is_high = level <= HeadingLevel::H2;
                self.styles.push(if is_high { Style::Title } else { Style::Bold });
            }
            Tag::BlockQuote(_) => {
                self.write_row();
                // The blank row stands before the quote, and not in it.
                self.stand_apart();
                self.within.push(Within::Quote);
            }
            Tag::CodeBlock(_) => self.is_code = true,
            Tag::List(first) => {
                // The text of the item that a list stands in.
                self.write_row();
                self.within.push(Within::List(first));
            }
            Tag::Item => self.start_item(),
            Tag::Emphasis => self.styles.push(Style::Italic),
            Tag::Strong => self.styles.push(Style::Bold),
            Tag::Strikethrough => self.styles.push(Style::Strike),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push(dest_url.into_string());
            }
            Tag::TableHead | Tag::TableRow => self.table.push(Vec::new()),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.end_block(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_block();
            }
            TagEnd::BlockQuote(_) => {
                self.write_row();
                self.within.pop();
                self.is_apart = true;
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                self.is_apart = true;
            }
            TagEnd::List(_) => {
                self.within.pop();
                self.is_apart |= self.within.is_empty();
            }
            TagEnd::Item => {
                self.write_row();
                self.within.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => drop(self.styles.pop()),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableCell => {
                let text = self.pieces.drain(..).map(|piece| piece.text).collect::<String>();
                if let Some(row) = self.table.last_mut() {
                    row.push(Piece::of(&text, &[]));
                }
            }
            TagEnd::Table => self.end_table(),
            _ => {}
        }
    }

    fn start_item(&mut self) {
        let marker = match self.within.last_mut() {
            Some(Within::List(Some(number))) => {
                *number += 1;
                format!("{}. ", *number - 1)
            }
            _ => "• ".to_owned(),
        };
        self.within.push(Within::Item { marker, is_begun: false });
    }

    /// Where a link goes is said too, unless that is its text.
    fn end_link(&mut self) {
        let Some(to) = self.links.pop() else { return };
        let said: String = self.pieces.iter().map(|piece| piece.text.as_str()).collect();
        if !to.is_empty() && !said.ends_with(to.trim_start_matches("mailto:")) {
            self.add(&format!(" ({to})"), Some(Style::Muted));
        }
    }

    fn end_table(&mut self) {
        let mut cells = std::mem::take(&mut self.table);
        let heads = if cells.is_empty() { Vec::new() } else { cells.remove(0) };
        let heads: Vec<_> = heads.into_iter().map(|head| head.text).collect();
        for row in table::rows(&heads, cells, |_| false, self.room()) {
            self.write(|prefix, _| vec![joined(prefix, row)]);
        }
        self.is_apart = true;
    }

    fn code(&mut self, text: &str) {
        for line in text.lines() {
            let line = Piece::of(&format!("  {line}"), &[Style::Accent]);
            self.write(|prefix, _| vec![joined(prefix, Row { pieces: vec![line] })]);
        }
    }

    fn add(&mut self, text: &str, style: Option<Style>) {
        let styles: Vec<_> = self.styles.iter().copied().chain(style).collect();
        self.pieces.push(Piece::of(text, &styles));
    }

    fn end_block(&mut self) {
        if !self.pieces.is_empty() {
            self.write_row();
            self.is_apart = true;
        }
    }

    /// Writes what the row at hand has, where it has anything.
    fn write_row(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        if !pieces.is_empty() {
            let width = self.width;
            self.write(|first, other| wrap(&pieces, width, &first, &other));
        }
    }

    /// Writes a blank row, where one is due.
    fn stand_apart(&mut self) {
        if std::mem::take(&mut self.is_apart) && !self.rows.is_empty() {
            let mut blank = self.beginning(false);
            blank.trim();
            self.rows.push(blank);
        }
    }

    /// Writes rows, which are given how the first and how the others begin.
    fn write(&mut self, rows: impl FnOnce(Row, Row) -> Vec<Row>) {
        self.stand_apart();
        let (first, other) = (self.beginning(true), self.beginning(false));
        self.rows.extend(rows(first, other));
        for within in &mut self.within {
            if let Within::Item { is_begun, .. } = within {
                *is_begun = true;
            }
        }
    }

    /// How a row begins; the first one of an item has its marker.
    fn beginning(&self, is_first: bool) -> Row {
        let pieces = self.within.iter().filter_map(|within| match within {
            Within::Quote => Some(Piece::of("│ ", &[Style::Muted])),
            Within::List(_) => None,
            Within::Item { marker, is_begun: false } if is_first => Some(Piece::of(marker, &[])),
            Within::Item { marker, .. } => Some(Piece::of(&" ".repeat(marker.columns()), &[])),
        });
        Row { pieces: pieces.collect() }
    }

    /// What is left of the width.
    fn room(&self) -> usize {
        self.width.saturating_sub(self.beginning(false).columns()).max(1)
    }
}

fn joined(mut prefix: Row, row: Row) -> Row {
    prefix.pieces.extend(row.pieces);
    prefix
}
