//! From where an extension comes from to the program that is started.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::ExtensionSource;
use super::manifest::{Manifest, ManifestError, manifest_file};
use crate::file;
use crate::process::{
    Environments, Launch, Unavailable, interpreter_of, is_executable, with_ending,
};
use crate::report::Problem;
use crate::switch::is_switched_off;

/// What can be said of an extension before it is started.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) dir: Option<PathBuf>,
    pub(crate) manifest: Option<Manifest>,
    /// The points that its manifest declares to guard; none where a person has disabled it.
    pub(crate) guards: Vec<String>,
    /// How to start it, or why that cannot work.
    pub(crate) launch: Result<Launch, Problem>,
}

impl Plan {
    /// Looks at files, and runs nothing.
    pub(crate) fn of(
        source: &ExtensionSource,
        cwd: &Path,
        environments: &Environments<'_>,
    ) -> Self {
        if is_switched_off() {
            return Self::switched_off(source, cwd, environments);
        }
        Self::of_any(source, cwd, environments)
    }

    /// A person has switched all off: nothing is started, and nothing is guarded.
    fn switched_off(source: &ExtensionSource, cwd: &Path, environments: &Environments<'_>) -> Self {
        let plan = Self::of_any(source, cwd, environments);
        Self { guards: Vec::new(), launch: Err(Problem::SwitchedOff), ..plan }
    }

    fn of_any(source: &ExtensionSource, cwd: &Path, environments: &Environments<'_>) -> Self {
        match source {
            ExtensionSource::Folder(path) => Self::of_folder(path, environments),
            ExtensionSource::OnDemand(source) => Self::of_any(source, cwd, environments),
            ExtensionSource::Pinned { source, digest } => {
                let mut plan = Self::of_any(source, cwd, environments);
                if let Ok(launch) = &mut plan.launch {
                    launch.pin = Some(digest.clone());
                }
                plan
            }
            #[cfg(feature = "mcp-client")]
            ExtensionSource::Mcp(server) => Self {
                name: server.name().to_owned(),
                dir: Some(cwd.to_owned()),
                manifest: None,
                guards: Vec::new(),
                launch: server.launch(cwd, environments),
            },
            ExtensionSource::Command { program, args, name } => {
                let name = name.clone().unwrap_or_else(|| name_of(program, args, cwd));
                let environment = environments.of(&[]);
                let launch = resolve(program, cwd, environment.path()).map(|program| Launch {
                    program,
                    args: args.clone(),
                    dir: cwd.to_owned(),
                    environment,
                    is_remote: false,
                    pin: None,
                    confinement: None,
                    notices: Vec::new(),
                });
                let guards = Vec::new();
                Self { name, dir: Some(cwd.to_owned()), manifest: None, guards, launch }
            }
        }
    }

    fn of_folder(path: &Path, environments: &Environments<'_>) -> Self {
        let file = manifest_file(path);
        let dir = file.parent().unwrap_or(path);
        let dir = file::real(dir).unwrap_or_else(|_| dir.to_owned());
        match Manifest::read(path) {
            Ok(manifest) => {
                let launch = launch_of(&manifest, &dir, &file, environments);
                let name = manifest.name.clone();
                let guards = manifest.guards.iter().filter(|_| manifest.enabled);
                let guards = guards.cloned().collect();
                Self { name, dir: Some(dir), manifest: Some(manifest), guards, launch }
            }
            Err(error) => Self {
                name: file_stem(dir.as_os_str()),
                dir: dir.is_dir().then_some(dir),
                manifest: None,
                guards: error.guards.clone(),
                launch: Err(error.into_problem()),
            },
        }
    }
}

/// What an error of the start itself means.
pub(crate) fn explain(launch: &Launch, error: &io::Error) -> Problem {
    let program = launch.program.clone();
    if let Some(unavailable) = error.get_ref().and_then(|it| it.downcast_ref::<Unavailable>()) {
        return Problem::Sandbox { reason: unavailable.to_string() };
    }
    match error.kind() {
        // The file was there a moment ago, so what is missing is the one its first line names.
        io::ErrorKind::NotFound if program.exists() => match interpreter_of(&program) {
            Some(interpreter) => Problem::NoInterpreter { program, interpreter },
            None => Problem::Spawn { program, reason: error.to_string() },
        },
        io::ErrorKind::NotFound => {
            let written = program.to_string_lossy().into_owned();
            Problem::NotFound { program, written, in_path: false }
        }
        io::ErrorKind::PermissionDenied => Problem::NotExecutable { program },
        _ if is_exec_format_error(error) => Problem::NoShebang { program },
        _ => Problem::Spawn { program, reason: error.to_string() },
    }
}

fn launch_of(
    manifest: &Manifest,
    dir: &Path,
    file: &Path,
    environments: &Environments<'_>,
) -> Result<Launch, Problem> {
    if !manifest.enabled {
        return Err(Problem::Disabled { file: file.to_owned() });
    }
    if let Some(error) = manifest.unfit(file) {
        return Err(error.into_problem());
    }
    let Some(exec) = &manifest.exec else {
        let problem = "required to start it, and missing".to_owned();
        let remedy = "write \"exec\": \"./my-extension\", a path relative to this file";
        return Err(ManifestError::at(file, "/exec", problem, remedy).into_problem());
    };
    let environment = environments.of(&manifest.permissions.env);
    Ok(Launch {
        program: resolve(OsStr::new(exec), dir, environment.path())?,
        args: manifest.args.iter().map(OsString::from).collect(),
        dir: dir.to_owned(),
        environment,
        is_remote: false,
        pin: None,
        confinement: None,
        notices: Vec::new(),
    })
}

/// The file of a program: absolute as is, with a separator relative to `dir`, else from a folder of
/// `folders`, the extension's own `$PATH`.
pub(crate) fn resolve(program: &OsStr, dir: &Path, folders: &OsStr) -> Result<PathBuf, Problem> {
    let path = Path::new(program);
    let resolved = if path.components().count() > 1 || path.is_absolute() {
        let plain = path.strip_prefix(".").unwrap_or(path);
        Some(with_ending(dir.join(plain))).filter(|path| path.exists())
    } else {
        let candidates = env::split_paths(folders).map(|folder| with_ending(folder.join(path)));
        let found = candidates.into_iter().find(|candidate| is_executable(candidate));
        // The child starts in another folder, so a relative entry of $PATH would lead elsewhere.
        found.and_then(|program| std::path::absolute(program).ok())
    };
    let Some(resolved) = resolved else {
        let in_path = path.components().count() == 1 && !path.is_absolute();
        let program = if in_path { path.to_owned() } else { dir.join(path) };
        let written = path.to_string_lossy().into_owned();
        return Err(Problem::NotFound { program, written, in_path });
    };
    if is_executable(&resolved) {
        Ok(resolved)
    } else {
        Err(Problem::NotExecutable { program: resolved })
    }
}

/// What an extension without a manifest is called.
fn name_of(program: &OsStr, args: &[OsString], cwd: &Path) -> String {
    let script = args.iter().find(|arg| cwd.join(arg).is_file());
    file_stem(script.map_or(program, OsString::as_os_str))
}

fn file_stem(path: &OsStr) -> String {
    let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
    stem.filter(|stem| !stem.is_empty()).unwrap_or_else(|| "extension".to_owned())
}

#[cfg(windows)]
const BAD_EXE_FORMAT: i32 = 193;

fn is_exec_format_error(error: &io::Error) -> bool {
    #[cfg(unix)]
    let is = error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error());
    #[cfg(windows)]
    let is = error.raw_os_error() == Some(BAD_EXE_FORMAT);
    is
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_bare_name_is_not_looked_up_in_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("extline-no-such-program"), "").unwrap();
        let path = env::var_os("PATH").unwrap();
        let found = resolve(OsStr::new("extline-no-such-program"), dir.path(), &path);
        assert!(matches!(found, Err(Problem::NotFound { in_path: true, .. })));
        let shell = OsStr::new(if cfg!(windows) { "cmd" } else { "sh" });
        assert!(resolve(shell, dir.path(), &path).is_ok());
        let found = resolve(shell, dir.path(), OsStr::new(""));
        assert!(matches!(found, Err(Problem::NotFound { in_path: true, .. })));
    }

    #[test]
    fn a_path_is_relative_to_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("ext.sh");
        fs::write(&program, "").unwrap();
        let found = resolve(OsStr::new("./ext.sh"), dir.path(), OsStr::new(""));
        assert_eq!(found, Err(Problem::NotExecutable { program }));
        let found = resolve(OsStr::new("bin/ext"), dir.path(), OsStr::new(""));
        let program = dir.path().join("bin/ext");
        let written = "bin/ext".to_owned();
        assert_eq!(found, Err(Problem::NotFound { program, written, in_path: false }));
    }

    #[test]
    fn a_command_is_named_after_its_script() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("clock.py"), "").unwrap();
        let name = |program: &str, args: &[&str]| {
            let args: Vec<_> = args.iter().map(OsString::from).collect();
            name_of(OsStr::new(program), &args, dir.path())
        };
        assert_eq!(name("python3", &["-u", "clock.py"]), "clock");
        assert_eq!(name("./bin/my-ext", &["--flag"]), "my-ext");
    }
}
