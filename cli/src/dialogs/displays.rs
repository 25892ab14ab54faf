//! What extensions have shown: a line on stderr for each change, where a person sees it.

use extline_host::services::ui::{
    Shown, Status, StatusMethod, Title, TitleMethod, WIDGET_LINES, Widget, WidgetMethod, Working,
    WorkingMethod,
};
use extline_host::view::Fold;
use extline_host::{Asked, HostBuilder};
use extline_protocol::shown_line;

use super::stage;
use crate::printer::columns;
use crate::styled::{BOLD, DIM};
use crate::views;

pub(super) fn serve(builder: HostBuilder) -> HostBuilder {
    builder
        .serve::<StatusMethod, _, _>(|asked: Asked<Status>| {
            let Status { key, text } = &asked.params;
            one(&asked.extension, &format!("status {}", shown_line(key)), text.as_deref())
        })
        .serve::<TitleMethod, _, _>(|asked: Asked<Title>| {
            one(&asked.extension, "title", asked.params.title.as_deref())
        })
        .serve::<WorkingMethod, _, _>(|asked: Asked<Working>| {
            one(&asked.extension, "is working", asked.params.text.as_deref())
        })
        .serve::<WidgetMethod, _, _>(|asked: Asked<Widget>| {
            let Widget { key, lines, view, .. } = &asked.params;
            let text = lines.as_ref().map(|lines| match view {
                Some(view) => {
                    let (rows, _) = views::rows(view, columns().saturating_sub(2), Fold::Folded);
                    let rows: Vec<_> =
                        rows.iter().map(|row| format!("\n  {}", row.as_str())).collect();
                    rows.concat()
                }
                None => listed(lines),
            });
            tell(&asked.extension, &format!("widget {}", shown_line(key)), text.as_deref())
        })
}

/// The lines of a widget, as many as are shown.
fn listed(lines: &[String]) -> String {
    let shown = lines.iter().take(WIDGET_LINES);
    let mut rows: Vec<_> = shown.map(|line| format!("\n  {}", shown_line(line))).collect();
    if let Some(more @ 1..) = lines.len().checked_sub(WIDGET_LINES) {
        rows.push(format!("\n  {DIM}and {more} more lines{DIM:#}"));
    }
    rows.concat()
}

fn one(
    extension: &str,
    what: &str,
    text: Option<&str>,
) -> impl Future<Output = Result<Shown, extline_protocol::frame::RpcError>> + Send + use<> {
    let text = text.map(|text| format!(" {}", shown_line(text)));
    tell(extension, what, text.as_deref())
}

fn tell(
    extension: &str,
    what: &str,
    text: Option<&str>,
) -> impl Future<Output = Result<Shown, extline_protocol::frame::RpcError>> + Send + use<> {
    let extension = shown_line(extension);
    let gone = format!(" {DIM}(taken back){DIM:#}");
    stage::tell(format!("{BOLD}{extension}{BOLD:#} {what}:{}", text.unwrap_or(&gone)));
    async { Ok(Shown {}) }
}
