//! The pages on installed extensions, on trust and on manifests, as they are typed.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::scene::Scene;
use crate::support::{self, repository};

/// Types the lines of a page's console into a shell, and looks for what it shows, `...` being anything.
fn play(scene: &Scene, page: &str) {
    let page = fs::read_to_string(repository().join("docs").join(page)).unwrap();
    let console = page.split("```console\n").nth(1).unwrap().split("```\n").next().unwrap();
    for typed in console.split("$ ").skip(1) {
        let (line, shown) = typed.split_once('\n').unwrap();
        let folder = Path::new(env!("CARGO_BIN_EXE_extline")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("{line} 2>&1")]).env("PATH", path);
        command.env("EXTLINE_HOME", scene.extline.home()).current_dir(scene.project());
        command.env("ZOT_HOME", scene.extline.home().join("zot")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let said = support::outcome(command.spawn().unwrap()).stdout;
        let mut rest = &*said;
        for part in shown.lines().flat_map(|line| line.split("...")).map(str::trim) {
            let at = rest.find(part).unwrap_or_else(|| panic!("{line}: {part:?} not in {said}"));
            rest = &rest[at + part.len()..];
        }
    }
}

#[test]
fn the_pages_say_what_happens() {
    let clock = repository().join("examples/clock-shell");
    let copy = |to: &Path| {
        fs::create_dir_all(to).unwrap();
        for file in ["extension.json", "clock.sh"] {
            fs::copy(clock.join(file), to.join(file)).unwrap();
        }
    };
    let scene = Scene::new();
    copy(&scene.project().join("clock-shell"));
    play(&scene, "installing.md");

    let scene = Scene::new();
    copy(&scene.project().join(".extline/extensions/clock-shell"));
    play(&scene, "trust.md");

    let scene = Scene::new();
    fs::create_dir(scene.project().join("weather")).unwrap();
    let text = r#"{
  "name": "weather",
  "version": "1.0.0", "exec": "sh",
  "args": ["", 5],
  "enable": true
}"#;
    fs::write(scene.project().join("weather/extension.json"), text).unwrap();
    play(&scene, "host/manifest.md");

    // What the page writes into config.toml is understood.
    let page = fs::read_to_string(repository().join("docs/installing.md")).unwrap();
    let settings = page.split("```toml config.toml\n").nth(1).unwrap().split("```").next().unwrap();
    fs::write(scene.extline.home().join("config.toml"), settings).unwrap();
    scene.run(&["ext", "list"]).assert_code(0);
}
