/* Handlers that write to stdout, start programs and fork. */
#include "common.h"

#include <signal.h>
#include <sys/wait.h>

static void print(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    printf("stray by printf\n");
    fflush(stdout);
    if (write(1, "stray by write\n", 15) != 15)
        abort();
    extline_call_text(call, "printed");
}

static void run_echo(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    extline_call_textf(call, "%d", system("echo stray by echo; cat"));
}

static int status_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The child comes back into the library. */
static void fork_and_return(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    pid_t child = fork();
    if (child == 0)
        return;
    extline_call_textf(call, "%d", status_of(child));
}

/* The child lives on; the host must see the end of this process all the same. */
static void fork_and_leave(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    pid_t child = fork();
    if (child == 0) {
        close(1);
        close(2);
        for (int looks = 0; looks < 600; looks++)
            pause_ms(100);
        _exit(0);
    }
    extline_call_textf(call, "%d", (int)child);
}

/* SIGPIPE is as the program left it: by default it kills. */
static void pipe_signal(void *user, extline_call *call, extline_str args) {
    UNUSED(user), UNUSED(args);
    pid_t child = fork();
    if (child == 0) {
        int ends[2];
        if (pipe(ends) == 0) {
            close(ends[0]);
            while (write(ends[1], "x", 1) == 1)
                ;
        }
        _exit(0);
    }
    extline_call_textf(call, "%d", status_of(child));
}

int main(void) {
    extline_extension *ext = extline_new("strays", "1.0.0");
    add_tool(ext, "print", print);
    add_tool(ext, "run_echo", run_echo);
    add_tool(ext, "fork_and_return", fork_and_return);
    add_tool(ext, "fork_and_leave", fork_and_leave);
    add_tool(ext, "pipe_signal", pipe_signal);
    int status = extline_run(ext);
    extline_free(ext);
    printf("stray after run\n");
    return status;
}
