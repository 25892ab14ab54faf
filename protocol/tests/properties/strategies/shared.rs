//! What frames of both directions are made of.

use extline_protocol::frame::{
    Cancel, Content, ErrorInfo, Panel, PanelClose, Parent, ParentKind, Request, Response,
    ResponsePart, RpcError,
};
use extline_protocol::{ErrorKind, Id, RawJson};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::objects;
use crate::json_text::{self, Style};

pub(super) fn text() -> BoxedStrategy<String> {
    prop_oneof![Just(String::new()), "[a-z/]{1,12}", "\\PC{0,12}", any::<String>()].boxed()
}

pub(super) fn texts() -> BoxedStrategy<Vec<String>> {
    vec(text(), 0..3).boxed()
}

pub(super) fn id() -> BoxedStrategy<Id> {
    let given = text().prop_filter("an id is never empty", |id| !id.is_empty());
    given.prop_map(|id| (&*id).into()).boxed()
}

/// A value that was given. (`null` would be read back as absent.)
pub(super) fn raw() -> BoxedStrategy<RawJson> {
    json_text::something(Style::Any).prop_map(parse).boxed()
}

pub(super) fn raw_object() -> BoxedStrategy<RawJson> {
    json_text::object(Style::Any).prop_map(parse).boxed()
}

/// One of the known words, or another.
pub(super) fn word<T: for<'a> From<&'a str> + std::fmt::Debug + 'static>(
    known: &'static [&'static str],
) -> BoxedStrategy<T> {
    prop_oneof![
        4 => proptest::sample::select(known).prop_map(T::from),
        1 => text().prop_map(|word| T::from(&word)),
    ]
    .boxed()
}

pub(super) fn number() -> BoxedStrategy<f64> {
    use proptest::num::f64::{NORMAL, SUBNORMAL, ZERO};
    prop_oneof![(0..1_000_u32).prop_map(f64::from), NORMAL | SUBNORMAL | ZERO].boxed()
}

pub(super) fn blocks() -> BoxedStrategy<Vec<Content>> {
    let other = json_text::something(Style::Any)
        .prop_map(|value| parse(format!(r#"{{"type":"audio","data":{value}}}"#)));
    let block = prop_oneof![
        text().prop_map(Content::Text),
        text().prop_map(|text| Content::markdown(&text)),
        (text(), text()).prop_map(|(mime_type, data)| Content::Image { mime_type, data }),
        other.prop_map(Content::Other),
    ];
    vec(block, 0..3).boxed()
}

pub(super) fn kind() -> BoxedStrategy<ErrorKind> {
    word(ErrorKind::KNOWN)
}

objects! {
    panel: Panel { id: text(), title: of(text()), lines: of(texts()), footer: of(text()), view: of(raw()), }
    panel_close: PanelClose { panel_id: text(), }
    parent: Parent { kind: word(ParentKind::KNOWN), id: id(), }
    request: Request {
        id: id(),
        method: text(),
        params: of(raw()),
        parent: of(parent()),
        deadline_ms: of(any::<u64>()),
    }
    error: ErrorInfo {
        kind: kind(),
        message: text(),
        field: of(text()),
        hint: of(text()),
        causes: of(texts()),
        retry_after_ms: of(any::<u64>()),
    }
    rpc_error: RpcError { code: kind(), message: text(), data: of(raw()), }
    response: Response { id: id(), result: of(raw()), error: of(rpc_error()), }
    response_part: ResponsePart { id: id(), seq: any::<u64>(), data: raw(), }
    cancel: Cancel { id: id(), }
}

fn parse(text: impl AsRef<str>) -> RawJson {
    RawJson::parse(text.as_ref()).unwrap()
}
