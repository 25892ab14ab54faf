//! What calls do to files: told by the tool, seen by the recorder, or both.

use std::fs;
use std::sync::{Arc, Mutex};

use extline_host::effects::{Change, DiffRecorder, EffectCall, Effects, Evidence, Snapshot};
use extline_host::protocol::frame::Effect;
use extline_host::{CallOptions, Host};
use serde_json::{Value, json};

use crate::support::{Home, LONG, end, python, text};

async fn host_of(home: &Home, effects: impl Effects) -> Host {
    let looks = json!({"annotations": {"read_only": true}});
    let tools = json!({"write": {}, "look": looks}).to_string();
    home.builder().effects(effects).extension(python("workshop.py", [tools])).start().await
}

/// A project with a file, and its recorder.
fn project(home: &Home) -> (std::path::PathBuf, DiffRecorder) {
    let project = home.folder("project");
    fs::write(project.join("a.txt"), "one\n").unwrap();
    let recorder = DiffRecorder::new(&project).unwrap();
    (project, recorder)
}

async fn call(host: &Host, tool: &str, args: &Value) -> String {
    text(&host.call(tool, &args.to_string()).await.unwrap())
}

fn seen(changes: &[Change]) -> Vec<(&str, Evidence)> {
    changes.iter().map(|it| (it.path.to_str().unwrap(), it.evidence)).collect()
}

#[tokio::test]
async fn a_turn_has_each_file_once_as_it_was_and_as_it_is() {
    let home = Home::new();
    let (project, recorder) = project(&home);
    let host = host_of(&home, recorder.clone()).await;
    let path = |name: &str| project.join(name).to_string_lossy().into_owned();
    let [a, b, c] = ["a.txt", "b.txt", "c.txt"].map(path);
    let modify = json!([{"kind": "file", "op": "modify", "path": "a.txt"}]);
    // It is named by the model and told by the tool, and written twice.
    for text in ["two\n", "three\n"] {
        let args = json!({"write": {&a: text}, "path": "a.txt", "effects": modify});
        call(&host, "write", &args).await;
    }
    // It is named and not told.
    call(&host, "write", &json!({"write": {&b: "new"}, "path": &b})).await;
    // It is told and was not written.
    let args = json!({"path": c, "effects": [{"kind": "file", "op": "create", "path": &c}]});
    call(&host, "write", &args).await;
    let turn = recorder.take_turn();
    let expected =
        [("a.txt", Evidence::Both), ("b.txt", Evidence::Observed), ("c.txt", Evidence::Declared)];
    assert_eq!(seen(&turn.changes), expected);
    let [of_a, of_b, of_c] = &turn.changes[..] else { panic!() };
    assert_eq!(of_a.before, Snapshot::Content(b"one\n".to_vec()));
    assert_eq!(of_a.after, Snapshot::Content(b"three\n".to_vec()));
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+three\n";
    assert_eq!(of_a.diff().as_deref(), Some(diff));
    assert_eq!(
        (&of_b.before, of_b.tools.as_slice()),
        (&Snapshot::Missing, &["write".to_owned()][..])
    );
    assert_eq!((&of_c.before, &of_c.after), (&Snapshot::Missing, &Snapshot::Missing));

    // The next turn begins anew, and what is again as it was is no change.
    for text in ["other\n", "three\n"] {
        call(&host, "write", &json!({"write": {&a: text}, "path": "a.txt"})).await;
    }
    call(&host, "write", &json!({"write": {&b: null}, "path": "b.txt"})).await;
    let turn = recorder.take_turn();
    assert_eq!(seen(&turn.changes), [("b.txt", Evidence::Observed)]);
    assert_eq!(turn.changes[0].after, Snapshot::Missing);
    end(host).await;
}

#[tokio::test]
async fn what_nobody_named_is_known_as_far_as_the_tool_tells() {
    let home = Home::new();
    let (project, recorder) = project(&home);
    let host = host_of(&home, recorder.clone()).await;
    // No argument is a path, so nobody could look before.
    let a = project.join("a.txt").to_string_lossy().into_owned();
    let renamed = json!({"kind": "file", "op": "rename", "path": "gone.txt", "new_path": "a.txt"});
    let read = json!({"kind": "file", "op": "read", "path": "b.txt"});
    let process = json!({"kind": "process", "command": "make"});
    let effects = json!([renamed, read, process]).to_string();
    // Of a failure it is told too.
    let fail = json!({"kind": "transient", "message": "full"});
    let args = json!({"effects": effects, "fail": fail, "write": {&a: "two\n"}});
    call(&host, "write", &args).await;
    let turn = recorder.take_turn();
    assert_eq!(
        seen(&turn.changes),
        [("a.txt", Evidence::Declared), ("gone.txt", Evidence::Declared)]
    );
    let of_a = &turn.changes[0];
    assert_eq!((&of_a.before, of_a.diff()), (&Snapshot::Unknown, None));
    assert_eq!(of_a.after, Snapshot::Content(b"two\n".to_vec()));
    end(host).await;
}

#[tokio::test]
async fn nothing_outside_of_the_root_is_looked_at() {
    let home = Home::new();
    let (project, recorder) = project(&home);
    let secret = home.path().join("secret");
    fs::write(&secret, "key").unwrap();
    std::os::unix::fs::symlink(&secret, project.join("link")).unwrap();
    let host = host_of(&home, recorder.clone()).await;
    for path in ["../secret", "link", "/etc/passwd"] {
        let effects = json!([{"kind": "file", "op": "modify", "path": path}]);
        let secret = secret.to_string_lossy().into_owned();
        let args = json!({"path": path, "effects": effects, "write": {secret: path}});
        call(&host, "write", &args).await;
    }
    let turn = recorder.take_turn();
    assert_eq!(turn.changes, []);
    let outside = turn.outside.iter().map(|it| (it.tool.as_str(), it.path.as_str()));
    let expected = [("write", "../secret"), ("write", "link"), ("write", "/etc/passwd")];
    assert_eq!(outside.collect::<Vec<_>>(), expected);
    end(host).await;
}

#[tokio::test]
async fn the_model_reads_what_the_verifier_says_of_one_call() {
    let home = Home::new();
    let (project, recorder) = project(&home);
    let recorder = recorder.verifier(|changes| {
        let names: Vec<_> = changes.iter().map(|it| it.path.display().to_string()).collect();
        let Snapshot::Content(after) = &changes[0].after else { return None };
        after.starts_with(b"bad").then(|| format!("checked: {} is bad", names.join(", ")))
    });
    let host = host_of(&home, recorder).await;
    let a = project.join("a.txt").to_string_lossy().into_owned();
    let write = |text: &str| json!({"write": {&a: text}, "path": &a, "text": "written"});
    assert_eq!(call(&host, "write", &write("good")).await, "written");
    assert_eq!(call(&host, "write", &write("bad")).await, "written\nchecked: a.txt is bad");
    // Nothing has changed now.
    assert_eq!(call(&host, "write", &write("bad")).await, "written");
    // What an extension calls has its own answer, and the call of the model is one that only reads.
    let nested = json!({"call": {"name": "write", "args": write("bad again")}, "text": "done"});
    assert_eq!(call(&host, "look", &nested).await, "done");
    assert_eq!(fs::read_to_string(&a).unwrap(), "bad again");
    end(host).await;
}

/// Writes down what it is told.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Effects for Told {
    fn before(&self, call: &EffectCall) {
        let EffectCall { tool, extension, caller, args, .. } = call;
        let args = args.get().len() > 2;
        self.0.lock().unwrap().push(format!("{extension} {tool} for {caller:?}, args: {args}"));
    }

    fn after(&self, call: &EffectCall, told: &[Effect]) -> Option<String> {
        self.0.lock().unwrap().push(format!("{} told {}", call.tool, told.len()));
        None
    }
}

#[tokio::test]
async fn a_consumer_is_told_of_each_call_that_may_change_something_also_without_an_answer() {
    let home = Home::new();
    let told = Told::default();
    let host = host_of(&home, told.clone()).await;
    let said = || told.0.lock().unwrap().clone();
    let effects = json!([{"kind": "process", "command": "make"}]);
    let nested = json!({"call": {"name": "write", "args": {"effects": effects}}});
    call(&host, "look", &nested).await;
    let name = "workshop";
    assert_eq!(
        said(),
        [format!("{name} write for Some({name:?}), args: true"), "write told 1".into()]
    );
    let hangs = host.start_call("write", r#"{"hang":1}"#, CallOptions::default()).await.unwrap();
    assert_eq!(said().len(), 3);
    drop(hangs);
    let told_of_the_drop = async {
        while said().len() < 4 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LONG, told_of_the_drop).await.unwrap();
    assert_eq!(said()[2..], ["workshop write for None, args: true", "write told 0"]);
    end(host).await;
}
