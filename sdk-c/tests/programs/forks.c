/* A handler that forks, and talks in the child. */
#include "common.h"

#include <sys/wait.h>

static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What each function says in the child. */
static void fork_and_talk(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_extension *ext = extline_call_extension(call);
    pid_t child = fork();
    if (child == 0) {
        extline_answer *answer = NULL;
        extline_result results[] = {
            extline_notify(ext, "info", "stray"),
            extline_call_update(call, "stray"),
            extline_call_text(call, "stray"),
            extline_call_sleep_ms(call, 1),
            extline_call_tool(ext, NULL, "add", "{}", &answer),
            extline_run(ext),
        };
        int status = 7;
        for (size_t at = 0; at < sizeof results / sizeof *results; at++)
            if (results[at] != EXTLINE_FORKED)
                fprintf(stderr, "%d: %s\n", (int)at, extline_result_name(results[at])), status = 1;
        fprintf(stderr, "child: %s\n", extline_last_error());
        _exit(status);
    }
    extline_call_textf(call, "%d", status_of(child));
}

int main(void) {
    extline_extension *ext = extline_new("forks", "1.0.0");
    add_tool(ext, "fork_and_talk", fork_and_talk);
    int status = extline_run(ext);
    extline_free(ext);
    return status;
}
