//! Installing, replacing and removing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::scene::Scene;

#[test]
fn an_extension_is_installed_switched_and_removed() {
    let scene = Scene::new();
    let source = scene.project();
    Scene::extension(&source, "clock", "1.0.0");
    fs::create_dir(source.join("lib")).unwrap();
    symlink("../ext.sh", source.join("lib/link")).unwrap();
    fs::create_dir(source.join(".git")).unwrap();
    let outcome = scene.run(&["ext", "install", ".", "--json"]);
    outcome.assert_code(0);
    assert_eq!(outcome.json()["runs"], "sh ext.sh clock");
    let installed = scene.installed("clock");
    assert!(installed.join("lib/link").exists() && !installed.join(".git").exists());
    assert_eq!(scene.verdict("clock").0, "runs");
    assert!(!scene.ran("clock"));

    let again = scene.run(&["ext", "install", "."]);
    again.assert_code(1);
    again.assert_says(&["clock 1.0.0 is installed in", "--replace"]);
    Scene::extension(&source, "clock", "2.0.0");
    scene.run(&["ext", "install", "--replace", "."]).assert_code(0);
    let manifest = fs::read_to_string(installed.join("extension.json")).unwrap();
    assert!(manifest.contains("2.0.0"));

    scene.run(&["ext", "disable", "clock"]).assert_code(0);
    assert_eq!(scene.verdict("clock").0, "disabled");
    scene.run(&["run", "--start-all"]).assert_code(2);
    scene.run(&["ext", "enable", "clock"]).assert_code(0);
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("clock"));

    let outcome = scene.run(&["ext", "remove", "clock"]);
    outcome.assert_code(2);
    outcome.assert_says(&["--yes"]);
    for wrong in ["../clock", "clok", ".", ""] {
        scene.run(&["ext", "remove", "--yes", wrong]).assert_code(2);
    }
    scene.run(&["ext", "remove", "--yes", "clock"]).assert_code(0);
    assert!(!installed.exists());
    assert!(source.join("ext.sh").exists());

    // In the project it is within what it was copied from, and trusted by whoever installed it.
    scene.run(&["ext", "install", "--project", "."]).assert_code(0);
    let installed = source.join(".extline/extensions/clock");
    assert!(installed.join("ext.sh").exists() && !installed.join(".extline/extensions").exists());
    assert_eq!(scene.verdict("clock").0, "runs");
    scene.run(&["ext", "remove", "--project", "--yes", "clock"]).assert_code(0);
    assert!(!installed.exists());
}

#[test]
fn what_cannot_be_installed_leaves_nothing() {
    let scene = Scene::new();
    let source = scene.project().join("source");
    Scene::extension(&source, "clock", "1.0.0");
    let refused = |what: &str| {
        let outcome = scene.run(&["ext", "install", "source"]);
        outcome.assert_code(1);
        outcome.assert_says(&[what]);
        let folder = scene.extline.home().join("extensions");
        let left: Vec<_> = folder.read_dir().unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, [".lock"], "{what}");
    };
    for outside in ["/etc", "../../x", "/etc/passwd"] {
        symlink(outside, source.join("out")).unwrap();
        refused("outside of the extension");
        fs::remove_file(source.join("out")).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(source.join("pipe")).status().unwrap();
    assert!(made.success());
    refused("a pipe (FIFO)");
    fs::remove_file(source.join("pipe")).unwrap();
    fs::write(source.join("extension.json"), "{\"name\": \"../clock\"}").unwrap();
    refused("/name");
    fs::remove_file(source.join("extension.json")).unwrap();
    refused("there is no such file");
    let outcome = scene.run(&["ext", "install", "nowhere"]);
    outcome.assert_code(2);
    outcome.assert_says(&["there is no folder nowhere"]);
}

#[test]
fn a_repository_is_installed_at_a_ref() {
    let scene = Scene::new();
    let source = scene.project().join("clock.git");
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=n", "-c", "user.email=e@example.com"]).args(words);
        let output = command.current_dir(&source).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    Scene::extension(&source, "clock", "1.0.0");
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "one"]);
    git(&["tag", "v1"]);
    Scene::extension(&source, "clock", "2.0.0");
    git(&["commit", "--quiet", "-am", "two"]);
    let version = || {
        let manifest = fs::read_to_string(scene.installed("clock").join("extension.json")).unwrap();
        serde_json::from_str::<Value>(&manifest).unwrap()["version"].as_str().unwrap().to_owned()
    };
    let url = format!("file://{}", source.display());
    scene.run(&["ext", "install", &url]).assert_code(0);
    assert_eq!(version(), "2.0.0");
    let outcome = scene.run(&["ext", "install", "--replace", "--json", &format!("{url}@v1")]);
    outcome.assert_code(0);
    assert_eq!(version(), "1.0.0");
    assert_eq!(outcome.json()["source"]["commit"].as_str().unwrap().len(), 40);
    let outcome = scene.run(&["ext", "install", "--replace", &format!("{url}@v9")]);
    outcome.assert_code(1);
    outcome.assert_says(&["nothing was installed: git fetch failed"]);
    assert_eq!(version(), "1.0.0");
    assert!(!scene.ran("clock"));
}

#[test]
fn an_archive_is_installed_where_it_has_its_digest() {
    let scene = Scene::new();
    let source = scene.project().join("clock-1");
    Scene::extension(&source, "clock", "1.0.0");
    let run = |program: &str, words: &[&str]| {
        let mut command = std::process::Command::new(program);
        let output = command.args(words).current_dir(scene.project()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let nothing_is_left = || {
        let folder = scene.extline.home().join("extensions");
        let left: Vec<_> = folder.read_dir().unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, [".lock"]);
    };
    run("tar", &["-czf", "clock.tar.gz", "clock-1"]);
    let wrong = scene.run(&["ext", "install", "clock.tar.gz", "--sha256", &"0".repeat(64)]);
    wrong.assert_code(1);
    wrong.assert_says(&["the SHA-256 of", "was wanted"]);
    nothing_is_left();
    // Names that lead out, and links that a file is written through.
    for script in [
        "t.addfile(file('../evil'), io.BytesIO(b'x'))",
        "t.addfile(file('/tmp/extline-evil'), io.BytesIO(b'x'))",
        "t.addfile(link('out', '/tmp')); t.addfile(file('out/extline-evil'), io.BytesIO(b'x'))",
        "t.addfile(link('up', '..'))",
    ] {
        let python = format!(
            "import io, tarfile\n\
             def file(name):\n i = tarfile.TarInfo(name); i.size = 1; return i\n\
             def link(name, to):\n i = tarfile.TarInfo(name); i.type = tarfile.SYMTYPE; i.linkname = to; return i\n\
             t = tarfile.open('evil.tar.gz', 'w:gz'); t.add('clock-1/extension.json', 'extension.json')\n\
             {script}\nt.close()\n"
        );
        run("python3", &["-c", &python]);
        scene.run(&["ext", "install", "evil.tar.gz"]).assert_code(1);
        nothing_is_left();
        assert!(!Path::new("/tmp/extline-evil").exists(), "{script}");
    }
    // One that ends too early.
    run("sh", &["-c", "head -c 100 clock.tar.gz > cut.tar.gz"]);
    scene.run(&["ext", "install", "cut.tar.gz"]).assert_code(1);
    nothing_is_left();
    let digest = run("sha256sum", &["clock.tar.gz"]);
    let digest = digest.split_whitespace().next().unwrap();
    scene.run(&["ext", "install", "clock.tar.gz", "--sha256", digest]).assert_code(0);
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("clock"));
    scene.run(&["ext", "install", "clock-1", "--sha256", digest]).assert_code(2);
}

#[test]
fn an_install_that_is_killed_leaves_the_old_one_or_the_new_one() {
    let scene = Scene::new();
    let source = scene.project().join("source");
    let fill = |version: &str| {
        Scene::extension(&source, "clock", version);
        for index in 0..200 {
            fs::write(source.join(format!("file-{index}")), version.repeat(200)).unwrap();
        }
    };
    fill("0");
    scene.run(&["ext", "install", "source"]).assert_code(0);
    for round in 1..=20_u32 {
        fill(&round.to_string());
        let mut command = scene.extline.command(&["ext", "install", "--replace", "source"]);
        let mut child = command.current_dir(scene.project()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(u64::from(round) * 4));
        child.kill().unwrap();
        child.wait().unwrap();
        // All of it is of one version.
        let installed = scene.installed("clock");
        let first = fs::read_to_string(installed.join("file-0")).unwrap();
        let other = |index| fs::read_to_string(installed.join(format!("file-{index}"))).unwrap();
        assert!((1..200).all(|index| other(index) == first), "round {round}");
        let manifest = fs::read_to_string(installed.join("extension.json")).unwrap();
        let manifest: Value = serde_json::from_str(&manifest).unwrap();
        assert_eq!(manifest["version"].as_str().unwrap().repeat(200), first, "round {round}");
        assert_eq!(scene.verdict("clock").0, "runs");
    }
    // The next one takes away what they left.
    scene.run(&["ext", "install", "--replace", "source"]).assert_code(0);
    let folder = scene.extline.home().join("extensions");
    let left: Vec<_> = folder.read_dir().unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_zip_is_installed_as_other_archives_are() {
    let scene = Scene::new();
    Scene::extension(&scene.project().join("clock-1"), "clock", "1.0.0");
    let run = |program: &str, words: &[&str]| {
        let mut command = std::process::Command::new(program);
        let output = command.args(words).current_dir(scene.project()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let made = |name: &str, script: &str| {
        let python = format!(
            "import zipfile\n\
             def add(name, mode, text='x'):\n i = zipfile.ZipInfo(name); i.create_system = 3; i.external_attr = mode << 16; z.writestr(i, text)\n\
             z = zipfile.ZipFile('{name}', 'w', zipfile.ZIP_DEFLATED)\n\
             [z.write('clock-1/' + name, 'clock-1/' + name) for name in ('extension.json', 'ext.sh')]\n\
             {script}\nz.close()\n"
        );
        run("python3", &["-c", &python]);
    };
    // Names that lead out, links and what is written through one, pipes, names twice, what only Windows takes apart.
    for (script, why) in [
        ("add('../evil', 0o100644)", "leads out of it"),
        ("add('/tmp/extline-evil', 0o100644)", "leads out of it"),
        (
            "add('clock-1/out', 0o120777, '/tmp'); add('clock-1/out/extline-evil', 0o100644)",
            "clock-1/out",
        ),
        ("add('clock-1/up', 0o120777, '../..')", "outside of the extension"),
        ("add('clock-1/pipe', 0o010644)", "neither a file nor a folder"),
        ("add('clock-1/..\\\\evil', 0o100644)", "no name that all systems have"),
        (
            "add('clock-1/x', 0o100644); z.infolist()[-1].file_size = (2 << 30) + 1",
            "more than 2 GiB",
        ),
        ("add('clock-1/x', 0o100644); z.infolist()[-1].compress_type = 12", "clock-1/x"),
    ] {
        made("evil.zip", script);
        let outcome = scene.run(&["ext", "install", "evil.zip"]);
        outcome.assert_code(1);
        outcome.assert_says(&["nothing was installed", why]);
        let folder = scene.extline.home().join("extensions");
        let left: Vec<_> = folder.read_dir().unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left, [".lock"], "{script}");
        assert!(!Path::new("/tmp/extline-evil").exists(), "{script}");
    }
    made("clock.zip", "add('clock-1/tool', 0o104777); add('clock-1/link', 0o120777, 'tool')");
    let wrong = scene.run(&["ext", "install", "clock.zip", "--sha256", &"0".repeat(64)]);
    wrong.assert_code(1);
    wrong.assert_says(&["the SHA-256 of", "was wanted"]);
    let digest = run("sha256sum", &["clock.zip"]);
    let digest = digest.split_whitespace().next().unwrap();
    let outcome = scene.run(&["ext", "install", "clock.zip", "--json", "--sha256", digest]);
    outcome.assert_code(0);
    assert_eq!(outcome.json()["source"]["sha256"], digest);
    let installed = scene.installed("clock");
    let tool = fs::metadata(installed.join("tool")).unwrap().permissions();
    assert_eq!(tool.mode() & 0o7777, 0o755);
    assert_eq!(fs::read_link(installed.join("link")).unwrap(), Path::new("tool"));
    scene.run(&["run", "--start-all"]).assert_code(0);
    assert!(scene.ran("clock"));
}
