//! The program itself, behind those that only start it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::Launch;
use crate::process::interpreter_line;
use crate::source::resolve;

/// The same without what only starts it, where that can be told: `env` in the first line of a script, and what stands
/// in place of `python` or `node` to choose one of several versions, as pyenv's.
pub(super) fn itself(mut launch: Launch) -> Launch {
    while behind_env(&mut launch) {}
    if let Some(program) = chosen(&launch) {
        launch.program = program;
    }
    launch
}

/// Where the program is a script that begins with `#!/usr/bin/env NAME`, NAME takes its place; whether it was one. What
/// `env` is given beyond a name and its arguments is left to it.
fn behind_env(launch: &mut Launch) -> bool {
    let Some(line) = interpreter_line(&launch.program) else { return false };
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if words.is_empty() || !Path::new(words.remove(0)).ends_with("env") {
        return false;
    }
    if words.first() == Some(&"-S") {
        words.remove(0);
    }
    let Some((name, args)) = words.split_first() else { return false };
    if name.starts_with('-') || name.contains('=') {
        return false;
    }
    let found = resolve(OsStr::new(name), &launch.dir, launch.environment.path());
    let Some(program) = found.ok().filter(|program| *program != launch.program) else {
        return false;
    };
    let script: PathBuf = std::mem::replace(&mut launch.program, program);
    let args = args.iter().map(OsString::from).chain([script.into_os_string()]);
    launch.args = args.chain(std::mem::take(&mut launch.args)).collect();
    true
}

/// The interpreter that one of those names stands for, by its own word. It is asked outside of the sandbox, so only what
/// is no part of the extension is, and from where no file of the extension says which it shall be.
fn chosen(launch: &Launch) -> Option<PathBuf> {
    let name = launch.program.file_name()?.to_str()?;
    let asks = match name {
        _ if name.starts_with("python") => ["-c", "import sys; print(sys.executable)"],
        "node" => ["-p", "process.execPath"],
        _ => return None,
    };
    let own = real(&launch.dir);
    if launch.program.starts_with(&launch.dir) || real(&launch.program).starts_with(own) {
        return None;
    }
    let folder = launch.program.parent()?;
    let chooses = interpreter_line(&launch.program).is_some()
        || ["shims", ".volta/bin"].iter().any(|known| folder.ends_with(known));
    if !chooses {
        return None;
    }
    let mut command = Command::new(&launch.program);
    command.args(asks).current_dir("/").env_clear().envs(&launch.environment.variables);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let answer = answer(child.ok()?)?;
    let program = PathBuf::from(answer.trim());
    (program.is_absolute() && program.is_file()).then_some(program)
}

/// The same without links.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What it writes, if it ends in time.
fn answer(mut child: Child) -> Option<String> {
    const AT_MOST: Duration = Duration::from_secs(5);
    let began = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if began.elapsed() > AT_MOST {
            drop(child.kill());
            drop(child.wait());
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    use super::*;
    use crate::process::Environment;

    fn script(path: &Path, text: &str) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_owned()
    }

    fn launch(program: PathBuf, folders: &Path) -> Launch {
        let mut environment = Environment::default();
        environment.variables.insert("PATH".into(), folders.into());
        Launch {
            dir: program.parent().unwrap().to_owned(),
            program,
            args: vec!["more".into()],
            environment: Arc::new(environment),
            is_remote: false,
            pin: None,
            confinement: None,
            notices: Vec::new(),
        }
    }

    #[test]
    fn env_is_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let tool = script(&dir.path().join("bin/tool"), "#!/bin/sh\n");
        let ext = script(&dir.path().join("ext.sh"), "#!/usr/bin/env -S tool -u\n");
        let Launch { program, args, .. } = itself(launch(ext.clone(), &dir.path().join("bin")));
        assert_eq!(program, tool);
        assert_eq!(args, [OsStr::new("-u"), ext.as_os_str(), OsStr::new("more")]);
        for kept in ["#!/bin/sh\n", "#!/usr/bin/env A=b tool\n", "#!/usr/bin/env nothing\n"] {
            let ext = script(&dir.path().join("kept.sh"), kept);
            assert_eq!(itself(launch(ext.clone(), &dir.path().join("bin"))).program, ext);
        }
    }

    #[test]
    fn what_chooses_an_interpreter_is_asked() {
        let dir = tempfile::tempdir().unwrap();
        let real = script(&dir.path().join("3.12/bin/python3.12"), "");
        let says = format!("#!/bin/sh\necho {}\n", real.display());
        let shim = script(&dir.path().join("shims/python3"), &says);
        let ext = script(&dir.path().join("ext/ext.py"), "#!/usr/bin/env python3\n");
        let found = itself(launch(ext.clone(), shim.parent().unwrap()));
        assert_eq!(found.program, real);
        assert_eq!(found.args, [ext.as_os_str(), OsStr::new("more")]);
        // One in the folder of the extension is a part of it, and is not run.
        let own = script(&dir.path().join("ext/shims/python3"), &says);
        let mut launch = launch(ext, own.parent().unwrap());
        assert_eq!(itself(launch.clone()).program, own);
        launch.program.clone_from(&own);
        assert_eq!(itself(launch).program, own);
    }
}
