//! Which paths nobody means to delete or to write over.

/// Whether it is the root, a folder right below it other than `/tmp`, somebody's home, or all that
/// is in one of these. Only the text counts: no link is followed, no variable but `HOME` is known.
pub(crate) fn is_vital(path: &str) -> bool {
    let from_home = path.starts_with(['~', '$']);
    match parts(path)[..] {
        [] => path.starts_with('/') || from_home,
        [first] if from_home => first.starts_with('~') || matches!(first, "$HOME" | "${HOME}"),
        [first] => path.starts_with('/') && first != "tmp",
        ["home" | "Users", _] => path.starts_with('/'),
        _ => false,
    }
}

/// Whether it is the folder that a command runs in, or all that is in it.
pub(crate) fn is_here(path: &str) -> bool {
    !path.starts_with('/') && parts(path).is_empty()
}

/// Whether a path is a device that holds data or drives something.
pub(crate) fn is_device(path: &str) -> bool {
    const HARMLESS: [&str; 12] = [
        "null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "fd/",
        "shm/", "tcp/",
    ];
    let Some(device) = path.strip_prefix("/dev/") else { return false };
    !HARMLESS.iter().any(|harmless| device.starts_with(harmless))
}

/// Its parts without `.`, `..` and a star at the end: `/a/../b/*` is `b`.
fn parts(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.pop_if(|last| matches!(*last, "*" | ".*" | "*.*"));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_what_is_right_below_it_and_homes_are_vital() {
        for path in [
            "/",
            "//",
            "/*",
            "/.",
            "/etc",
            "/usr/",
            "/usr/*",
            "/tmp/..",
            "/home/me",
            "/home/me/*",
            "/Users/me",
            "/root",
            "~",
            "~/",
            "~/*",
            "~/.*",
            "~you",
            "$HOME",
            "${HOME}/",
            "~/..",
            "/var/../etc/",
        ] {
            assert!(is_vital(path), "{path}");
        }
    }

    #[test]
    fn what_lies_deeper_is_not() {
        for path in [
            "",
            ".",
            "build",
            "./home/me",
            "/tmp",
            "/tmp/*",
            "/home/me/src",
            "/usr/local/x",
            "~/src",
            "$HOME/.cache",
            "$BUILD",
            "*.o",
            "etc",
        ] {
            assert!(!is_vital(path), "{path}");
        }
    }

    #[test]
    fn here_is_the_folder_itself_or_all_in_it() {
        assert!(["", ".", "./", "*", "./*", ".*"].into_iter().all(is_here));
        assert!(!["/", "a", "*.o", "a/*"].into_iter().any(is_here));
    }
}
