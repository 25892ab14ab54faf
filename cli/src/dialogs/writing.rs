//! A text that is written in an editor of the person's.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::Duration;

use super::terminal::{Typing, say};

/// What is opened where none is chosen.
const EDITOR: &str = if cfg!(windows) { "notepad" } else { "vi" };
/// How long the end of the editor may take to be seen.
const LOOK: Duration = Duration::from_millis(50);

/// Opens `$VISUAL`, `$EDITOR`, or what the system has, on a text; what is there when it ends. `None` when it
/// fails, as by `:cq`.
pub(super) async fn write(prefill: &str) -> io::Result<Option<String>> {
    let file = Draft::create(prefill)?;
    let chosen = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| std::env::var(name).ok());
    let editor = chosen.into_iter().find(|it| !it.trim().is_empty()).unwrap_or(EDITOR.to_owned());
    // It may leave the terminal in any state when it is ended.
    let _kept = Typing::kept()?;
    let status = Running::start(&editor, &file.0)?.ended().await?;
    if status.code() == Some(127) {
        say("  the editor is not there: set VISUAL or EDITOR\n");
    }
    if !status.success() {
        return Ok(None);
    }
    let mut text = String::new();
    File::open(&file.0)?.read_to_string(&mut text)?;
    if cfg!(windows) {
        text = text.replace("\r\n", "\n");
    }
    // Most editors end the last line, also where it had no end.
    if !prefill.ends_with('\n') && text.ends_with('\n') {
        text.pop();
    }
    Ok(Some(text))
}

/// A file that nobody else may read, and that is gone afterwards.
struct Draft(PathBuf);

impl Draft {
    fn create(text: &str) -> io::Result<Self> {
        let number = getrandom::u64().map_err(io::Error::other)?;
        let path = std::env::temp_dir().join(format!("extline-{number:016x}.txt"));
        let mut file = create_new(&path)?;
        let draft = Self(path);
        file.write_all(text.as_bytes())?;
        Ok(draft)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Somebody else may have removed it.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// An editor that is ended with its dialog.
struct Running(Child);

impl Running {
    fn start(editor: &str, file: &Path) -> io::Result<Self> {
        let (input, output) = ends_of_terminal()?;
        let child = command(editor, file)
            .stdin(input)
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        Ok(Self(child))
    }

    async fn ended(mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.0.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended cannot be ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// As a shell reads it, because it may have options: `code --wait`.
#[cfg(unix)]
fn command(editor: &str, file: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file);
    command
}

/// The same, as the shell of Windows reads it.
#[cfg(windows)]
fn command(editor: &str, file: &Path) -> Command {
    use std::os::windows::process::CommandExt;
    let mut command = Command::new("cmd");
    // What stands between the outer quotes is taken as it is.
    command.args(["/d", "/s", "/c"]).raw_arg(format!("\"{editor} \"{}\"\"", file.display()));
    command
}

/// The terminal, whatever stdin and stdout are.
#[cfg(unix)]
fn ends_of_terminal() -> io::Result<(File, File)> {
    use std::os::unix::ffi::OsStringExt;
    let name = rustix::termios::ttyname(io::stdin(), Vec::new())?;
    let name = std::ffi::OsString::from_vec(name.into_bytes());
    let end = OpenOptions::new().read(true).write(true).open(name)?;
    Ok((end.try_clone()?, end))
}

#[cfg(windows)]
fn ends_of_terminal() -> io::Result<(File, File)> {
    let open = |name| OpenOptions::new().read(true).write(true).open(name);
    Ok((open("CONIN$")?, open("CONOUT$")?))
}

/// Makes a file that was not there.
#[cfg(unix)]
fn create_new(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// The same, with the owner's own list. The folder for such files is the user's there.
#[cfg(windows)]
fn create_new(path: &Path) -> io::Result<File> {
    extline_host::file::create(path)
}
