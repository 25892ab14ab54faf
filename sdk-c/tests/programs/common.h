/* What the programs under test share. */
#ifndef COMMON_H
#define COMMON_H

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <extline.h>

/* Ends the program when the library refuses something that must work. */
static inline void must(extline_result result) {
    if (result != EXTLINE_OK) {
        fprintf(stderr, "%s: %s\n", extline_result_name(result), extline_last_error());
        exit(2);
    }
}

/* Adds a tool that takes any object. */
static inline void add_tool(extline_extension *ext, const char *name, extline_call_callback run) {
    extline_tool_options options = {
        EXTLINE_TOOL_OPTIONS_INIT, .name = name, .description = name, .run = run};
    must(extline_tool(ext, &options));
}

static inline void pause_ms(long milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Goes on with the call in a thread of its own, which releases it. */
static inline void in_a_thread(void *(*run)(void *), extline_call *call) {
    pthread_t thread;
    pthread_create(&thread, NULL, run, extline_call_retain(call));
    pthread_detach(thread);
}

#define UNUSED(name) ((void)(name))

#endif
