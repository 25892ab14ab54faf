//! Edits of hooks in a text. What comes of one is read again: it must say what the text said before, and
//! the hooks, or the edit is refused.

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value, json};

use super::edit::MARK;
use super::hook::{Hook, Target};
use super::json_edit::{Items, Style, Tree, add, take_out};
use super::json_text::{first_of_file, no_twins, parse, root_of, value_of, without};
use super::problem::{Problem, line_of as line_at};
use super::shim;
use crate::agents::Agent;
use crate::agents::hooks::{Form, HookEvent, HookTable};

/// The table of hooks, at the root of the file.
pub(super) const KEY: &str = "hooks";
const VERSION: &str = "version";

/// The hooks of a file.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) root: Map<String, Value>,
    /// Ours, in the order of the file.
    pub(super) ours: Vec<Found>,
    /// How many others there are.
    pub(super) others: usize,
}

#[derive(Debug)]
pub(super) struct Found {
    pub(super) event: String,
    pub(super) hook: Hook,
    place: Place,
}

/// Where a hook is.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: usize,
    /// In the list of its event.
    element: usize,
    /// In the list of the group that the element is.
    in_group: Option<usize>,
}

impl Hooks {
    pub(super) fn of(agent: &Agent, table: &HookTable, text: &str) -> Result<Self, Problem> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let none = Self { root: Map::new(), ours: Vec::new(), others: 0 };
        if let Form::Module(_) = table.form {
            return Ok(Self { ours: of_module(table, text)?, ..none });
        }
        let Some(root) = parse(text, table.syntax)? else { return Ok(none) };
        let Node::Object(object) = &root else {
            let line = line_at(text, root.start());
            return Err(Problem::new(line, "it is no object, `{ }`; correct it by hand"));
        };
        check(agent, table, text, object)?;
        let mut hooks = none;
        let all = object.get_object(KEY).map(|it| all_hooks(it, table)).unwrap_or_default();
        for (event, command, place) in all {
            match command.and_then(|it| Hook::of_command(&it)) {
                Some(hook) => hooks.ours.push(Found { event, hook, place }),
                None => hooks.others += 1,
            }
        }
        if let Value::Object(root) = value_of(&root) {
            hooks.root = root;
        }
        Ok(hooks)
    }

    /// Those that ask one extension.
    pub(super) fn of_target(&self, target: &Target) -> impl Iterator<Item = &Found> {
        self.ours.iter().filter(|found| found.hook.target.is(target))
    }
}

/// Each command of a module is run for each event.
fn of_module(table: &HookTable, text: &str) -> Result<Vec<Found>, Problem> {
    let hooks = shim::placed_hooks(text)?.into_iter().enumerate();
    let found = hooks.flat_map(|(element, (start, hook))| {
        let place = Place { start, element, in_group: None };
        table.events.iter().map(move |event| Found {
            event: event.name.to_owned(),
            hook: hook.clone(),
            place,
        })
    });
    Ok(found.collect())
}

/// Where the first hook is that asks an extension.
pub(super) fn line_of_hooks(
    agent: &Agent,
    table: &HookTable,
    text: &str,
    target: &Target,
) -> Option<usize> {
    let hooks = Hooks::of(agent, table, text).ok()?;
    let place = hooks.of_target(target).next()?.place.start;
    Some(line_at(text.strip_prefix(MARK).unwrap_or(text), place))
}

/// Adds a hook for each of these events.
pub(super) fn insert_hooks(
    agent: &Agent,
    table: &HookTable,
    text: &str,
    hook: &Hook,
    events: &[&HookEvent],
) -> Result<String, Problem> {
    if let Form::Module(body) = table.form {
        return shim::with(text, body, hook);
    }
    edit(agent, table, text, &Change::Insert(hook, events))
}

/// Takes out all hooks that ask an extension, and the lists that have nothing else.
pub(super) fn remove_hooks(
    agent: &Agent,
    table: &HookTable,
    text: &str,
    target: &Target,
) -> Result<String, Problem> {
    if let Form::Module(body) = table.form {
        return shim::without(text, body, target);
    }
    edit(agent, table, text, &Change::Remove(target))
}

enum Change<'a> {
    Insert(&'a Hook, &'a [&'a HookEvent]),
    Remove(&'a Target),
}

fn edit(
    agent: &Agent,
    table: &HookTable,
    marked: &str,
    change: &Change<'_>,
) -> Result<String, Problem> {
    let text = marked.strip_prefix(MARK).unwrap_or(marked);
    let before = Hooks::of(agent, table, text)?.root;
    let edited = match change {
        Change::Insert(hook, events) => inserted(text, table, hook, events),
        Change::Remove(target) => removed(text, table, target),
    };
    let expected = changed(before, table, change);
    let is_as_meant = |edited: &String| {
        Hooks::of(agent, table, edited)
            .is_ok_and(|after| expected == without_empty(after.root, table.form))
    };
    match edited.filter(is_as_meant) {
        Some(edited) => Ok(format!("{}{edited}", &marked[..marked.len() - text.len()])),
        None => Err(Problem::new(
            line_of(text, None),
            format!("`{KEY}` is written in a way that is not edited here; change it by hand"),
        )),
    }
}

/// Refuses what the agent does not read either, and what an edit might miss.
fn check(agent: &Agent, table: &HookTable, text: &str, root: &Object<'_>) -> Result<(), Problem> {
    no_twins(text, root, |name| name == KEY || (table.has_version && name == VERSION))?;
    if let Some(version) = root.get(VERSION).filter(|_| table.has_version)
        && value_of(&version.value) != json!({ "number": "1" })
    {
        let line = line_at(text, version.range.start);
        let what =
            format!("`{VERSION}` is not 1, and hooks of other versions are not written here");
        return Err(Problem::new(line, what));
    }
    let Some(hooks) = root.get(KEY) else { return Ok(()) };
    let refused = |name: Option<&str>, what: &str| {
        let path = name.map_or_else(|| KEY.to_owned(), |name| format!("{KEY}.{name}"));
        let agent = agent.name;
        Err(Problem::new(
            line_of(text, name),
            format!(
                "`{path}` is no {what}; correct it by hand, as {agent} does not read it either"
            ),
        ))
    };
    let Node::Object(hooks) = &hooks.value else { return refused(None, "table of events") };
    no_twins(text, hooks, |_| true)?;
    for event in table.events {
        if hooks.get(event.name).is_some_and(|it| it.value.as_array().is_none()) {
            return refused(Some(event.name), "list of hooks");
        }
    }
    Ok(())
}

fn line_of(text: &str, event: Option<&str>) -> Option<usize> {
    let root = root_of(text)??;
    let hooks = root.get(KEY)?;
    let place = match event {
        None => hooks.range.start,
        Some(event) => hooks.value.as_object()?.get(event)?.range.start,
    };
    Some(line_at(text, place))
}

/// Each hook of a table: its event, what it runs if that is a command, and where it is.
fn all_hooks(hooks: &Object<'_>, table: &HookTable) -> Vec<(String, Option<String>, Place)> {
    let mut all = Vec::new();
    for event in &hooks.properties {
        let Some(list) = event.value.as_array() else { continue };
        for (element, node) in list.elements.iter().enumerate() {
            let mut found = |node: &Node<'_>, in_group| {
                let command = node.as_object().and_then(|it| it.get_string(table.members.command));
                let command = command.map(|it| it.value.to_string());
                let place = Place { start: node.start(), element, in_group };
                all.push((event.name.as_str().to_owned(), command, place));
            };
            match (table.form, node.as_object().and_then(|it| it.get_array(KEY))) {
                (Form::Flat | Form::Typed, _) => found(node, None),
                (Form::Groups, Some(group)) => {
                    let hooks = group.elements.iter().enumerate();
                    hooks.for_each(|(index, hook)| found(hook, Some(index)));
                }
                (Form::Groups, None) | (Form::Module(_), _) => {}
            }
        }
    }
    all
}

fn inserted(text: &str, table: &HookTable, hook: &Hook, events: &[&HookEvent]) -> Option<String> {
    let list = |event: &HookEvent| Tree::List(vec![hook.element(table, event)]);
    if root_of(text)?.is_none() {
        let events = events.iter().map(|event| (event.name.to_owned(), list(event)));
        let mut members = vec![(KEY.to_owned(), Tree::Branch(events.collect()))];
        if table.has_version {
            members.insert(0, (VERSION.to_owned(), Tree::Leaf(Value::from(1))));
        }
        return Some(first_of_file(text, &Tree::Branch(members)));
    }
    let mut text = text.to_owned();
    let root = root_of(&text)??;
    if table.has_version && root.get(VERSION).is_none() {
        let (style, items) = (Style::of(&text, Some(&root)), Items::of_object(&root));
        text = add(&text, &items, Some(VERSION), &Tree::Leaf(Value::from(1)), &style);
    }
    for event in events {
        let root = root_of(&text)??;
        let style = Style::of(&text, Some(&root));
        let hooks = root.get_object(KEY);
        text = match (hooks, hooks.and_then(|it| it.get_array(event.name))) {
            (_, Some(array)) => {
                let element = hook.element(table, event);
                add(&text, &Items::of_array(array), None, &element, &style)
            }
            (Some(hooks), None) => {
                add(&text, &Items::of_object(hooks), Some(event.name), &list(event), &style)
            }
            (None, None) => {
                let tree = Tree::of(event.name, list(event));
                add(&text, &Items::of_object(&root), Some(KEY), &tree, &style)
            }
        };
    }
    Some(text)
}

fn removed(text: &str, table: &HookTable, target: &Target) -> Option<String> {
    let mut text = text.to_owned();
    loop {
        let root = root_of(&text)??;
        let all = root.get_object(KEY).map(|it| all_hooks(it, table)).unwrap_or_default();
        let ours = all.into_iter().find(|(_, command, _)| {
            let hook = command.as_deref().and_then(Hook::of_command);
            hook.is_some_and(|hook| hook.target.is(target))
        });
        let Some((event, _, place)) = ours else { return Some(text) };
        text = without_one(&text, &event, place)?;
    }
}

/// The text without a hook, and without its group, list and table where nothing else is in there.
fn without_one(text: &str, event: &str, place: Place) -> Option<String> {
    let mut text = text.to_owned();
    if let Some(index) = place.in_group {
        let root = root_of(&text)??;
        let group = group_of(list_of(&root, event)?, place.element)?;
        text = take_out(&text, &Items::of_array(group), index)?;
        let root = root_of(&text)??;
        let group = group_of(list_of(&root, event)?, place.element)?;
        if !Items::of_array(group).is_bare(&text, group.range.start) {
            return Some(text);
        }
    }
    let root = root_of(&text)??;
    text = take_out(&text, &Items::of_array(list_of(&root, event)?), place.element)?;
    let root = root_of(&text)??;
    let hooks = root.get_object(KEY)?;
    let list = hooks.get(event)?;
    if !Items::of_array(list.value.as_array()?).is_bare(&text, list.range.start) {
        return Some(text);
    }
    text = without(&text, hooks, event)?;
    let root = root_of(&text)??;
    let hooks = root.get(KEY)?;
    if !Items::of_object(hooks.value.as_object()?).is_bare(&text, hooks.range.start) {
        return Some(text);
    }
    without(&text, &root, KEY)
}

fn list_of<'a>(root: &'a Object<'a>, event: &str) -> Option<&'a Array<'a>> {
    root.get_object(KEY)?.get_array(event)
}

fn group_of<'a>(list: &'a Array<'a>, element: usize) -> Option<&'a Array<'a>> {
    list.elements.get(element)?.as_object()?.get_array(KEY)
}

/// What the file has to say after a change.
fn changed(
    mut root: Map<String, Value>,
    table: &HookTable,
    change: &Change<'_>,
) -> Map<String, Value> {
    match change {
        Change::Insert(hook, events) => {
            if table.has_version {
                root.entry(VERSION).or_insert_with(|| as_read(Value::from(1)));
            }
            let hooks = root.entry(KEY).or_insert_with(|| Map::new().into());
            for event in *events {
                let list =
                    hooks.as_object_mut().map(|it| it.entry(event.name).or_insert(json!([])));
                if let Some(Value::Array(list)) = list {
                    list.push(as_read(hook.element(table, event).value()));
                }
            }
        }
        Change::Remove(target) => {
            let is_ours = |value: &Value| {
                let command = value.get(table.members.command).and_then(Value::as_str);
                command.and_then(Hook::of_command).is_some_and(|hook| hook.target.is(target))
            };
            for list in lists_of(&mut root) {
                match table.form {
                    Form::Flat | Form::Typed => list.retain(|it| !is_ours(it)),
                    Form::Groups => groups_of(list).for_each(|it| it.retain(|it| !is_ours(it))),
                    Form::Module(_) => {}
                }
            }
        }
    }
    without_empty(root, table.form)
}

fn lists_of(root: &mut Map<String, Value>) -> impl Iterator<Item = &mut Vec<Value>> {
    let hooks = root.get_mut(KEY).and_then(Value::as_object_mut);
    hooks.into_iter().flat_map(Map::values_mut).filter_map(Value::as_array_mut)
}

fn groups_of(list: &mut [Value]) -> impl Iterator<Item = &mut Vec<Value>> {
    list.iter_mut().filter_map(|it| it.get_mut(KEY)?.as_array_mut())
}

/// Groups, lists and a table without hooks say the same as none.
fn without_empty(mut root: Map<String, Value>, form: Form) -> Map<String, Value> {
    if form == Form::Groups {
        for list in lists_of(&mut root) {
            list.retain(|it| it.get(KEY).and_then(Value::as_array).is_none_or(|it| !it.is_empty()));
        }
    }
    if let Some(Value::Object(hooks)) = root.get_mut(KEY) {
        hooks.retain(|_, list| list.as_array().is_none_or(|it| !it.is_empty()));
        if hooks.is_empty() {
            root.remove(KEY);
        }
    }
    root
}

/// A value as `value_of` reads it.
fn as_read(value: Value) -> Value {
    match value {
        Value::Number(number) => json!({ "number": number.to_string() }),
        Value::Array(elements) => elements.into_iter().map(as_read).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(name, it)| (name, as_read(it))).collect())
        }
        value => value,
    }
}
