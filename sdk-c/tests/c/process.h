/* The host's side of an extension that is a process: this program again, with --extension NAME. */
#ifndef EXTLINE_TEST_PROCESS_H
#define EXTLINE_TEST_PROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

typedef struct process {
    pid_t pid;
    int in, out, err; /* its stdin, stdout and stderr, from here */
} process;

static process process_start(const char *name) {
    int in[2], out[2], err[2];
    signal(SIGPIPE, SIG_IGN);
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        dup2(in[0], 0), dup2(out[1], 1), dup2(err[1], 2);
        execl(test_program, "extension", "--extension", name, (char *)NULL);
        _exit(126);
    }
    close(in[0]), close(out[1]), close(err[1]);
    return (process){pid, in[1], out[0], err[0]};
}

static void process_says(const process *to, const char *text) {
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t written = write(to->in, text, length);
        CHECK(written > 0);
        text += written;
        length -= (size_t)written;
    }
}

static void process_says_line(const process *to, const char *frame) {
    char whole[5000];
    snprintf(whole, sizeof whole, "%s\n", frame);
    process_says(to, whole);
}

/* The next line; "" at the end of its stdout. */
static const char *process_hears(const process *from) {
    size_t length = 0;
    for (;;) {
        struct pollfd waiting = {from->out, POLLIN, 0};
        char byte;
        if (poll(&waiting, 1, PATIENCE_MS) == 0) FAIL("it said nothing");
        ssize_t got = read(from->out, &byte, 1);
        CHECK(got >= 0);
        if (got == 0 || byte == '\n') break;
        CHECK(length < sizeof line - 1);
        line[length++] = byte;
    }
    line[length] = '\0';
    return line;
}

static const char *process_hears_one(const process *from, const char *part) {
    do {
        if (*process_hears(from) == '\0') FAIL("no line has `%s`", part);
    } while (strstr(line, part) == NULL);
    return line;
}

static process process_begin(const char *name) {
    process started = process_start(name);
    process_says_line(&started, ACK);
    process_hears_one(&started, "{\"type\":\"ready\"}");
    return started;
}

static char said_on_stderr[1 << 16];

/* Waits for its end; its exit status, or minus the signal that ended it. */
static int process_end(process *ended) {
    size_t length = 0;
    ssize_t got;
    int status;
    if (ended->in >= 0) close(ended->in);
    while (length < sizeof said_on_stderr - 1 &&
           (got = read(ended->err, said_on_stderr + length, sizeof said_on_stderr - 1 - length)) > 0)
        length += (size_t)got;
    said_on_stderr[length] = '\0';
    close(ended->out), close(ended->err);
    CHECK_EQ(waitpid(ended->pid, &status, 0), ended->pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* The same by SIGTERM; its stdin stays open, whose end would be an end too. */
static int process_terminate(process *ended) {
    int in = ended->in;
    ended->in = -1;
    kill(ended->pid, SIGTERM);
    int status = process_end(ended);
    close(in);
    return status;
}

#define SHUTDOWN "{\"type\":\"shutdown\",\"reason\":\"exit\"}"

static void process_ends_well(process *running) {
    process_says_line(running, SHUTDOWN);
    process_hears_one(running, "{\"type\":\"shutdown_ack\"}");
    int status = process_end(running);
    if (status != 0) FAIL("it ended with %d: %s", status, said_on_stderr);
}

#endif
