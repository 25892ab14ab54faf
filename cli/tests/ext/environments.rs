//! The packages of Python and Node that `extline ext install` puts into an extension.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::scene::Scene;
use crate::support::{in_terminal, outcome, wait_until_gone};

/// Speaks the protocol once it has found its package.
const PYTHON: &str = r#"
import json, os, sys
import extra
open(os.path.join(os.environ["MARK_FOLDER"], "ran-" + extra.NAME), "w").close()
for frame in ({"type": "hello", "name": "clock", "version": "1.0.0"}, {"type": "ready"}):
    print(json.dumps(frame), flush=True)
for line in sys.stdin:
    if json.loads(line)["type"] == "shutdown":
        break
"#;
const NODE: &str = r#"
const { NAME } = require("extra");
require("fs").writeFileSync(`${process.env.MARK_FOLDER}/ran-${NAME}`, "");
for (const frame of [{ type: "hello", name: "clock", version: "1.0.0" }, { type: "ready" }])
  console.log(JSON.stringify(frame));
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  if (JSON.parse(line).type === "shutdown") process.exit(0);
});
"#;
/// Makes a package, with a program in it, without a network.
const WHEEL: &str = r#"
import sys, zipfile
info = "extra-1.0.dist-info/"
with zipfile.ZipFile("extra-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("extra.py", "NAME = 'extra'\ndef main():\n    print('from', NAME)\n")
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: extra\nVersion: 1.0\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(info + "entry_points.txt", "[console_scripts]\nextra = extra:main\n")
    wheel.writestr(info + "RECORD", "")
"#;

fn manifest(folder: &Path, exec: &str, file: &str) {
    let manifest = json!({"name": "clock", "version": "1.0.0", "exec": exec, "args": [file],
                          "permissions": {"env": ["MARK_FOLDER"]}});
    fs::write(folder.join("extension.json"), manifest.to_string()).unwrap();
}

fn python(scene: &Scene) -> PathBuf {
    let folder = scene.project().join("source");
    fs::create_dir_all(&folder).unwrap();
    manifest(&folder, "./.venv/bin/python", "clock.py");
    fs::write(folder.join("clock.py"), PYTHON).unwrap();
    fs::write(folder.join("requirements.txt"), "./extra-1.0-py3-none-any.whl\n").unwrap();
    let made = Command::new("python3").args(["-c", WHEEL]).current_dir(&folder).status().unwrap();
    assert!(made.success());
    folder
}

fn node(scene: &Scene, scripts: &serde_json::Value) -> PathBuf {
    let folder = scene.project().join("source");
    fs::create_dir_all(folder.join("extra")).unwrap();
    manifest(&folder, "node", "clock.js");
    fs::write(folder.join("clock.js"), NODE).unwrap();
    let package = json!({"name": "clock", "version": "1.0.0", "scripts": scripts,
                         "dependencies": {"extra": "file:./extra"}});
    fs::write(folder.join("package.json"), package.to_string()).unwrap();
    let extra = json!({"name": "extra", "version": "1.0.0", "main": "index.js"});
    fs::write(folder.join("extra/package.json"), extra.to_string()).unwrap();
    fs::write(folder.join("extra/index.js"), "exports.NAME = 'extra';\n").unwrap();
    folder
}

/// What stands beside what is installed, but the lock.

#[test]
fn an_environment_of_python_is_made_before_it_is_in_place() {
    let scene = Scene::new();
    let source = python(&scene);
    // One of the author's holds the paths of another machine, and stays behind.
    let words = ["-m", "venv", "--without-pip", ".venv"];
    let made = Command::new("python3").args(words).current_dir(&source).status().unwrap();
    assert!(made.success());

    // Nobody is there, and nobody has said yes.
    let outcome = scene.run(&["ext", "install", "source", "--json"]);
    outcome.assert_code(0);
    let installed = scene.installed("clock").canonicalize().unwrap();
    let needs = outcome.json()["needs"].clone();
    let command = needs[0].as_str().unwrap();
    assert!(command.starts_with(&format!("cd {} && ", installed.display())), "{command}");
    assert!(command.ends_with(" -r requirements.txt"), "{command}");
    assert!(!installed.join(".venv").exists());
    let listed = scene.run(&["ext", "list"]);
    assert!(listed.stdout.contains("its Python environment is not there: "), "{listed:?}");
    assert!(listed.stdout.contains(command), "{listed:?}");
    let started = scene.run(&["run", "--start-all"]);
    started.assert_code(3);
    started.assert_says(&["there is no Python environment ./.venv", command]);

    scene.run(&["ext", "install", "--replace", "--yes", "source"]).assert_code(0);
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("extra"));
    // A program of a package is started by the interpreter where it stands now.
    let said = Command::new(installed.join(".venv/bin/extra")).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "from extra\n", "{said:?}");
    assert_eq!(scene.run(&["ext", "list", "--json"]).json()["extensions"][0]["needs"], json!([]));
    assert_eq!(scene.left(), ["clock"]);

    // One that cannot be made leaves the old one.
    fs::write(source.join("requirements.txt"), "./nothing-1.0-py3-none-any.whl\n").unwrap();
    let outcome = scene.run(&["ext", "install", "--replace", "--yes", "source"]);
    outcome.assert_code(1);
    outcome.assert_says(&["nothing was installed: `", "ended with exit status", "nothing-1.0"]);
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("extra"));
    assert_eq!(scene.left(), ["clock"]);
}

#[test]
fn what_one_installs_into_a_project_is_trusted_with_its_environment() {
    let scene = Scene::new();
    python(&scene);
    scene.run(&["ext", "install", "--project", "--yes", "source"]).assert_code(0);
    assert_eq!(scene.verdict("clock").0, "runs");
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("extra"));
    assert_eq!(scene.verdict("clock").0, "runs");
    // It runs, so a byte of it counts.
    let environment = scene.project().join(".extline/extensions/clock/.venv");
    let packages = fs::read_dir(environment.join("lib")).unwrap().next().unwrap().unwrap().path();
    fs::write(packages.join("site-packages/extra.py"), "NAME = 'other'\n").unwrap();
    let (verdict, why) = scene.verdict("clock");
    assert_eq!(verdict, "untrusted");
    assert!(why.contains("site-packages/extra.py"), "{why}");
    scene.run(&["run", "--start-all"]);
    assert!(!scene.ran("other"));
}

#[test]
fn packages_of_node_are_installed_by_npm() {
    let scene = Scene::new();
    node(&scene, &json!({}));
    let outcome = scene.run(&["ext", "install", "source"]);
    outcome.assert_code(0);
    assert!(outcome.stdout.contains(" && npm install\n"), "{outcome:?}");
    let started = scene.run(&["run", "--start-all"]);
    started.assert_code(3);
    started.assert_says(&["its node_modules are not there: `cd ", " && npm install` makes it"]);
    scene.run(&["ext", "install", "--replace", "--yes", "source"]).assert_code(0);
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("extra"));
    // With a lock nothing but that is installed.
    let lock = scene.installed("clock").join("package-lock.json");
    fs::copy(lock, scene.project().join("source/package-lock.json")).unwrap();
    let outcome = scene.run(&["ext", "install", "--replace", "source"]);
    assert!(outcome.stdout.contains(" && npm ci\n"), "{outcome:?}");
    scene.run(&["ext", "install", "--replace", "--yes", "source"]).assert_code(0);
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("extra"));
}

#[test]
fn a_person_is_asked_on_a_terminal() {
    let scene = Scene::new();
    let source = node(&scene, &json!({}));
    let source = source.to_str().unwrap();
    let answer = |answer: &str, words: &[&str]| {
        let steps = [json!({"expect": "Make it? [y/N]"}), json!({"send": answer})];
        let screen = in_terminal(&scene.extline, true, &steps, words);
        assert_eq!(screen.code, 0, "{screen:?}");
        assert!(screen.output.contains("    npm install\r\n"), "{screen:?}");
    };
    let modules = scene.installed("clock").join("node_modules");
    answer("\n", &["ext", "install", source]);
    assert!(!modules.exists());
    answer("y\n", &["ext", "install", "--replace", source]);
    assert!(modules.join("extra").exists());
}

#[test]
fn an_interruption_or_a_kill_ends_the_installer_and_leaves_the_old_one() {
    let scene = Scene::new();
    let source = scene.project().join("source");
    Scene::extension(&source, "clock", "1.0.0");
    scene.run(&["ext", "install", "source"]).assert_code(0);
    let sleeping = scene.project().join("sleeping");
    let script = format!("echo $$ > {0}.new && mv {0}.new {0} && sleep 1000", sleeping.display());
    node(&scene, &json!({"preinstall": script}));
    for signal in [Signal::INT, Signal::KILL] {
        let words = ["ext", "install", "--replace", "--yes", "source"];
        let mut command = scene.extline.command(&words);
        let child = command.current_dir(scene.project()).spawn().unwrap();
        let until = Instant::now() + Duration::from_secs(120);
        while !sleeping.exists() {
            assert!(Instant::now() < until, "npm did not run the script");
            std::thread::sleep(Duration::from_millis(20));
        }
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
        if signal == Signal::INT {
            let outcome = outcome(child);
            outcome.assert_code(130);
            outcome.assert_says(&["nothing was installed: interrupted"]);
            assert_eq!(scene.left(), ["clock"]);
        } else {
            child.wait_with_output().unwrap();
        }
        let shell = fs::read_to_string(&sleeping).unwrap();
        wait_until_gone(shell.trim());
        fs::remove_file(&sleeping).unwrap();
        scene.run(&["run", "--start-all"]).assert_code(0);
        assert!(scene.ran("clock"));
    }
    // The next one takes away what the killed one left.
    scene.run(&["ext", "install", "--replace", "source"]).assert_code(0);
    assert_eq!(scene.left(), ["clock"]);
}
