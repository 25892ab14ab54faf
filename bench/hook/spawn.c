/* Times whole processes in turn, from the spawn to the exit: a line of nanoseconds for each round.

   spawn ROUNDS INPUT COMMAND [ARG...] [--- COMMAND [ARG...]]... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };

extern char **environ;

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* Nanoseconds, or -1. */
static long long run(char **command, const char *input) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child;
    int status;
    long long began = now();
    int failed = posix_spawnp(&child, command[0], &actions, NULL, command, environ);
    if (!failed) failed = waitpid(child, &status, 0) != child;
    long long ended = now();
    posix_spawn_file_actions_destroy(&actions);
    return failed || !WIFEXITED(status) || WEXITSTATUS(status) != 0 ? -1 : ended - began;
}

int main(int argc, char **argv) {
    char **commands[MOST];
    int count = 0;
    if (argc < 4) return 2;
    commands[count++] = argv + 3;
    for (int at = 3; at < argc; at++) {
        if (strcmp(argv[at], "---") == 0 && count < MOST) {
            argv[at] = NULL;
            commands[count++] = argv + at + 1;
        }
    }
    for (int round = atoi(argv[1]); round > 0; round--) {
        for (int at = 0; at < count; at++) {
            long long took = run(commands[at], argv[2]);
            if (took < 0) {
                fprintf(stderr, "%s failed\n", commands[at][0]);
                return 1;
            }
            printf("%lld%c", took, at + 1 < count ? ' ' : '\n');
        }
    }
    return 0;
}
