/* The program under test: its start, its memory, its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

struct child child;

void stop(const char *format, ...) {
    int error = errno;
    va_list arguments;
    va_start(arguments, format);
    fputs("bench client: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    if (error != 0) fprintf(stderr, " (%s)", strerror(error));
    fputc('\n', stderr);
    if (child.pid > 0) kill(child.pid, SIGKILL);
    exit(1);
}

void child_start(char **argv) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) stop("no pipe");
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0) stop("no /dev/null");
    signal(SIGPIPE, SIG_IGN);
    child.pid = vfork();
    if (child.pid < 0) stop("cannot start %s", argv[0]);
    if (child.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGPIPE, SIG_DFL);
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(null, 2);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    close(null);
    child.input = in[1];
    child.output = out[0];
}

long child_peak_kb(void) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", child.pid);
    FILE *status = fopen(path, "r");
    long peak = 0;
    while (status && fgets(line, sizeof line, status) && sscanf(line, "VmHWM: %ld", &peak) != 1) {
    }
    if (status) fclose(status);
    return peak;
}

/* Asks it to end, as its protocol does; a child that stays is killed after 3 s. */
void child_end(enum protocol protocol) {
    static const char shutdown[] = "{\"type\":\"shutdown\"}\n";
    /* A child that is gone already shows below. */
    ssize_t written = protocol == PROTOCOL_EXTENSION ? write(child.input, shutdown, sizeof shutdown - 1) : 0;
    (void)written;
    close(child.input);
    int64_t give_up = now_ns() + 3000000000LL;
    int status;
    while (waitpid(child.pid, &status, WNOHANG) == 0) {
        char rest[4096];
        struct pollfd output = {child.output, POLLIN, 0};
        if (poll(&output, 1, 1) > 0 && read(child.output, rest, sizeof rest) <= 0) usleep(500);
        if (now_ns() > give_up) kill(child.pid, SIGKILL);
    }
    child.pid = 0;
    errno = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) stop("the child ended with wait status %d", status);
}
