/* Many extensions at once: what it takes a host that does nothing else.
 *
 * One thread starts them, one after the other; another answers each `hello` and counts each `ready`.
 * Nothing of what makes a host is here: no stderr, no process groups, no logs, no checks. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

enum { MOST = 1000, LINES = 4096, NAME = 32, ARGUMENTS = 16 };

static struct extension {
    pid_t pid;
    int input, output;
    size_t length;
    char lines[LINES]; /* what came so far: two short frames and `ready` */
} extensions[MOST];

static int wanted, events;
static char **program;

static void start(int number) {
    struct extension *it = &extensions[number];
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) stop("no pipe");
    /* Each has a tool of its own, as under the host. */
    char tool[NAME], *argv[ARGUMENTS];
    int count = 0;
    while (program[count] && count < ARGUMENTS - 2) argv[count] = program[count], count++;
    snprintf(tool, sizeof tool, "echo-%d", number);
    argv[count] = tool;
    argv[count + 1] = NULL;
    posix_spawn_file_actions_t ends;
    posix_spawn_file_actions_init(&ends);
    posix_spawn_file_actions_adddup2(&ends, in[0], 0);
    posix_spawn_file_actions_adddup2(&ends, out[1], 1);
    errno = posix_spawnp(&it->pid, argv[0], &ends, NULL, argv, environ);
    if (errno != 0) stop("cannot start %s", argv[0]);
    posix_spawn_file_actions_destroy(&ends);
    close(in[0]);
    close(out[1]);
    it->input = in[1];
    it->output = out[0];
    it->length = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = it};
    if (epoll_ctl(events, EPOLL_CTL_ADD, it->output, &event) != 0) stop("cannot watch a pipe");
}

static void *start_all(void *nothing) {
    for (int number = 0; number < wanted; number++) start(number);
    return nothing;
}

/* Takes what came, and says whether it was `ready`. */
static int serve(struct extension *it) {
    static const char ack[] = "{\"type\":\"hello_ack\",\"protocol_version\":1,\"zot_version\":\"\","
                              "\"provider\":\"\",\"model\":\"\",\"cwd\":\"/\"}\n";
    int greeted = strstr(it->lines, "\"hello\"") != NULL;
    ssize_t count = read(it->output, it->lines + it->length, LINES - 1 - it->length);
    if (count <= 0) stop("an extension closed its stdout, or said too much");
    it->length += (size_t)count;
    it->lines[it->length] = '\0';
    if (!greeted && strstr(it->lines, "\"hello\"") && write(it->input, ack, sizeof ack - 1) < 0) stop("cannot write");
    return strstr(it->lines, "\"ready\"") != NULL;
}

static double start_and_serve(void) {
    events = epoll_create1(EPOLL_CLOEXEC);
    if (events < 0) stop("no epoll");
    for (int number = 0; number < wanted; number++) extensions[number].lines[0] = '\0';
    int64_t began = now_ns();
    pthread_t starter;
    errno = pthread_create(&starter, NULL, start_all, NULL);
    if (errno != 0) stop("no thread");
    for (int ready = 0; ready < wanted;) {
        struct epoll_event came[64];
        int count = epoll_wait(events, came, 64, 30000);
        if (count == 0) stop("nobody said anything for 30 s");
        for (int each = 0; each < count; each++) ready += serve(came[each].data.ptr);
    }
    double took = (double)(now_ns() - began) / 1e6;
    pthread_join(starter, NULL);
    close(events);
    return took;
}

static void end_all(void) {
    for (int number = 0; number < wanted; number++) close(extensions[number].input);
    for (int number = 0; number < wanted; number++) {
        waitpid(extensions[number].pid, NULL, 0);
        close(extensions[number].output);
    }
}

void starts(int count, char **argv) {
    if (count < 1 || count > MOST) stop("so many cannot be started: %d", count);
    wanted = count;
    program = argv;
    signal(SIGPIPE, SIG_IGN);
    /* As under the host: the first time is not measured. */
    start_and_serve();
    end_all();
    int64_t cpu = own_cpu_ns();
    double start_ms = start_and_serve();
    printf("{\"extensions\":%d,\"start_ms\":%.3f,\"host_cpu_ms\":%.3f}\n", wanted, start_ms,
           (double)(own_cpu_ns() - cpu) / 1e6);
    end_all();
}
