//! Panels: opened, drawn, used and closed by both sides.

use extline_host::{CallError, CommandOutcome, ExtensionSource, Host, News, NewsStream, PanelView};
use serde_json::{Value, json};

use crate::support::{Home, end, python, text};

fn drawer(name: &str) -> ExtensionSource {
    python("drawer.py", [name]).named(name)
}

/// Lets an extension write frames; the panel frames that came to it meanwhile.
async fn emit(host: &Host, name: &str, frames: Value) -> Value {
    let args = json!({ "frames": frames }).to_string();
    let result = host.call(&format!("emit_{name}"), &args).await.unwrap();
    serde_json::from_str(&text(&result)).unwrap()
}

fn open(id: &str) -> Value {
    json!({"type": "open_panel", "panel": {"id": id, "lines": ["one"], "footer": "q"}})
}

fn shows(view: &PanelView) -> (&str, Vec<&str>, &str) {
    (&view.title, view.lines.iter().map(String::as_str).collect(), &view.footer)
}

/// What happened to panels since it was asked last, as `+ID` and `-ID`.
fn opened_and_closed(news: &mut NewsStream) -> Vec<String> {
    let panels = std::iter::from_fn(|| news.try_next()).filter_map(|item| match item {
        News::PanelOpened { panel } => Some(format!("+{}/{}", panel.extension(), panel.id())),
        News::PanelClosed { extension, id } => Some(format!("-{extension}/{id}")),
        _ => None,
    });
    panels.collect()
}

fn notices(host: &Host) -> Vec<String> {
    host.extensions()[0].notices.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_command_opens_a_panel() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    let mut news = host.news();
    let panel = r#"{"id":"todos","title":"To do","lines":["[ ] ship"],"footer":"enter toggles"}"#;
    let outcome = host.command("open", panel).await.unwrap();
    let CommandOutcome::OpenPanel(panel) = outcome else { panic!("{outcome:?}") };
    assert_eq!(shows(&panel.view()), ("To do", vec!["[ ] ship"], "enter toggles"));
    assert_eq!((panel.extension(), panel.id(), panel.is_open()), ("a", "todos", true));
    assert_eq!(host.panels(), [panel]);
    assert_eq!(opened_and_closed(&mut news), ["+a/todos"]);
    end(host).await;
}

#[tokio::test]
async fn what_is_drawn_replaces_what_was_there_except_the_title() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    emit(&host, "a", json!([open("p")])).await;
    let mut panel = host.panels().remove(0);
    // Without a title it has the extension's name.
    assert_eq!(shows(&panel.view()), ("a", vec!["one"], "q"));
    let render = json!({"type": "panel_render", "panel_id": "p", "title": "T", "lines": ["two"]});
    emit(&host, "a", json!([render])).await;
    assert_eq!(shows(&panel.changed().await.unwrap()), ("T", vec!["two"], ""));
    emit(&host, "a", json!([{"type": "panel_render", "panel_id": "p", "footer": "f"}])).await;
    assert_eq!(shows(&panel.changed().await.unwrap()), ("T", vec![], "f"));
    // Who is slow gets the newest.
    let lines = |line: &str| json!({"type": "panel_render", "panel_id": "p", "lines": [line]});
    emit(&host, "a", json!([lines("1"), lines("2"), lines("3")])).await;
    assert_eq!(panel.changed().await.unwrap().lines, ["3"]);
    // Opened again while it is open, it is drawn anew.
    emit(&host, "a", json!([open("p")])).await;
    assert_eq!(shows(&panel.changed().await.unwrap()), ("a", vec!["one"], "q"));
    assert_eq!(host.panels(), [panel]);
    end(host).await;
}

#[tokio::test]
async fn keys_and_sizes_arrive_in_order() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    emit(&host, "a", json!([open("p")])).await;
    let panel = host.panels().remove(0);
    assert!(panel.resize(80, 24) && panel.key("down") && panel.text("ü") && panel.key("enter"));
    assert_eq!(
        emit(&host, "a", json!([])).await,
        json!([
            {"type": "panel_resize", "panel_id": "p", "width": 80, "height": 24},
            {"type": "panel_key", "panel_id": "p", "key": "down"},
            {"type": "panel_key", "panel_id": "p", "key": "rune", "text": "ü"},
            {"type": "panel_key", "panel_id": "p", "key": "enter"},
        ])
    );
    end(host).await;
}

#[tokio::test]
async fn either_side_closes_it_and_then_nothing_passes() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    let mut news = host.news();
    emit(&host, "a", json!([open("p")])).await;
    let first = host.panels().remove(0);
    assert!(first.close());
    assert!(!first.close() && !first.key("up") && !first.resize(1, 1) && !first.is_open());
    // A render that crosses with the close is ignored, without a word.
    let render = json!({"type": "panel_render", "panel_id": "p", "lines": ["late"]});
    let came = emit(&host, "a", json!([render, open("p")])).await;
    assert_eq!(came, json!([{"type": "panel_close", "panel_id": "p"}]));
    assert_eq!(notices(&host), [""; 0]);
    // The same id is another panel now, and the old handle does not reach it.
    let mut second = host.panels().remove(0);
    assert_ne!(first, second);
    assert!(!first.key("up") && !first.close() && second.key("down"));
    assert_eq!(first.view().lines, ["one"]);
    let close = json!({"type": "panel_close", "panel_id": "p"});
    emit(&host, "a", json!([close])).await;
    assert_eq!(second.changed().await, None);
    assert!(!second.key("up") && host.panels().is_empty());
    assert_eq!(opened_and_closed(&mut news), ["+a/p", "-a/p", "+a/p", "-a/p"]);
    end(host).await;
}

#[tokio::test]
async fn panels_of_one_id_in_two_extensions_are_two() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).extension(drawer("b")).start().await;
    emit(&host, "a", json!([open("main")])).await;
    emit(&host, "b", json!([open("main")])).await;
    let panels = host.panels();
    let [a, b] = &panels[..] else { panic!("{panels:?}") };
    assert_ne!(a, b);
    assert!(b.key("up"));
    emit(&host, "b", json!([{"type": "panel_render", "panel_id": "main", "lines": ["b"]}])).await;
    assert_eq!((a.view().lines, b.view().lines), (vec!["one".to_owned()], vec!["b".to_owned()]));
    assert_eq!(emit(&host, "a", json!([])).await, json!([]));
    assert!(b.close());
    assert!(a.is_open() && !b.is_open());
    end(host).await;
}

#[tokio::test]
async fn the_panels_of_a_dead_extension_are_closed() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    let mut news = host.news();
    emit(&host, "a", json!([open("p"), open("q")])).await;
    let mut panel = host.panels().remove(0);
    let died = host.call("emit_a", r#"{"exit":true}"#).await;
    assert!(matches!(died, Err(CallError::Died { .. })));
    assert_eq!(panel.changed().await, None);
    assert!(!panel.key("up") && !panel.close() && host.panels().is_empty());
    assert_eq!(opened_and_closed(&mut news), ["+a/p", "+a/q", "-a/p", "-a/q"]);
    end(host).await;
}

#[tokio::test]
async fn a_panel_that_was_never_opened_is_ignored_and_reported() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    let render = json!({"type": "panel_render", "panel_id": "ghost", "lines": ["boo"]});
    emit(&host, "a", json!([render, {"type": "panel_close", "panel_id": "ghost"}])).await;
    assert!(host.panels().is_empty());
    assert_eq!(
        notices(&host),
        [
            "ignored panel_render: it has no panel \"ghost\" open",
            "ignored panel_close: it has no panel \"ghost\" open"
        ]
    );
    end(host).await;
}

#[tokio::test]
async fn of_too_many_panels_the_last_is_closed_at_once() {
    let home = Home::new();
    let host = home.builder().extension(drawer("a")).start().await;
    let many: Vec<_> = (0..65).map(|number| open(&format!("p{number:02}"))).collect();
    emit(&host, "a", json!(many)).await;
    assert_eq!(host.panels().len(), 64);
    let closed = json!([{"type": "panel_close", "panel_id": "p64"}]);
    assert_eq!(emit(&host, "a", json!([])).await, closed);
    let error = host.command("open", r#"{"id":"one-more"}"#).await.unwrap_err();
    assert_eq!(error.to_string(), "open: it has too many panels open");
    end(host).await;
}
