//! What a sandbox forbids, tried in C.

use std::fs;

use crate::c_library::sh;
use crate::curious::Curious;

const PROGRAM: &str = r#"
#include <errno.h>
#include <extline.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        execl(path, path, (char *)NULL);
        _exit(errno);
    }
    waitpid(child, &status, 0);
    errno = WEXITSTATUS(status);
    return errno != 0 ? -1 : 0;
}

static void attempt(void *user, extline_call *call, extline_str args)
{
    extline_str what, path;
    int result;
    if (extline_args_string(call, "/what", &what) != EXTLINE_OK
        || extline_args_string(call, "/path", &path) != EXTLINE_OK)
        return;
    if (strcmp(what.ptr, "reach") == 0)
        result = socket(AF_INET, SOCK_DGRAM, 0);
    else if (strcmp(what.ptr, "run") == 0)
        result = run(path.ptr);
    else
        result = fopen(path.ptr, "w") == NULL ? -1 : 0;
    if (result < 0)
        extline_call_error(call, "permission", strerror(errno));
    else
        extline_call_textf(call, "done");
}

int main(void)
{
    extline_extension *ext = extline_new("curious", "1.0.0");
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT, .name = "attempt",
        .description = "Tries something.", .run = attempt, .schema = "{\"type\":\"object\"}" });
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
"#;

#[test]
fn what_the_sandbox_refuses_is_named_in_the_answer() {
    let curious = Curious::new();
    fs::write(curious.folder().join("curious.c"), PROGRAM).unwrap();
    sh("cc curious.c -o curious $(pkg-config --cflags --libs extline)", &curious.folder());
    let libraries = sh("pkg-config --variable=libdir extline", &curious.folder());
    curious.is_refused("./curious", &[("LD_LIBRARY_PATH", libraries.trim())]);
}
