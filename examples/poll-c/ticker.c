/* A program with an event loop of its own, here epoll, in which the extension is one source of
   events among others: a timer ticks beside it. Everything happens in one thread. */
#define _GNU_SOURCE
#include <extline.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* A call that is answered later, when the timer has ticked often enough. */
struct waiting {
    extline_call *call;
    int64_t left;
    struct waiting *next;
};

static struct waiting *waiting;
static int64_t ticks;

/* The tool `wait`: keeps the call, and returns without an answer. */
static void wait_for_ticks(void *user, extline_call *call, extline_str args)
{
    int64_t count;
    if (extline_args_int(call, "/ticks", &count) != EXTLINE_OK)
        return;
    struct waiting *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        extline_call_error(call, "internal", "no memory");
        return;
    }
    entry->call = extline_call_retain(call);
    entry->left = count;
    entry->next = waiting;
    waiting = entry;
}

static void how_many(void *user, extline_call *call, extline_str args)
{
    char text[64];
    snprintf(text, sizeof text, "%lld ticks", (long long)ticks);
    extline_respond_display(call, text);
}

static void tick(int timer)
{
    uint64_t expired;
    if (read(timer, &expired, sizeof expired) != (ssize_t)sizeof expired)
        return;
    ticks += (int64_t)expired;
    for (struct waiting **at = &waiting; *at != NULL;) {
        struct waiting *entry = *at;
        entry->left -= (int64_t)expired;
        if (entry->left > 0 && !extline_call_cancelled(entry->call)) {
            at = &entry->next;
            continue;
        }
        extline_call_textf(entry->call, "tick %lld", (long long)ticks);  /* ignored where it was cancelled */
        extline_call_release(entry->call);
        *at = entry->next;
        free(entry);
    }
}

/* Tells epoll what the extension waits for now: to write only while something is unwritten. */
static void watch(int loop, int operation, int fd, uint32_t events)
{
    struct epoll_event event = { .events = events, .data = { .fd = fd } };
    if (epoll_ctl(loop, operation, fd, &event) != 0) {
        perror("epoll_ctl");
        exit(1);
    }
}

int main(void)
{
    extline_extension *ext = extline_new("ticker", "1.0.0");
    extline_tool(ext, &(extline_tool_options){ EXTLINE_TOOL_OPTIONS_INIT, .name = "wait",
        .description = "Waits for so many ticks of the timer, ten a second.",
        .schema = "{ \"type\": \"object\", \"required\": [\"ticks\"], \"properties\": {"
                  "  \"ticks\": { \"type\": \"integer\", \"minimum\": 1 } } }",
        .run = wait_for_ticks });
    extline_command(ext, &(extline_command_options){ EXTLINE_COMMAND_OPTIONS_INIT, .name = "ticks",
        .description = "how often the timer has ticked", .run = how_many });

    int in, out, wake;
    if (extline_start(ext) != EXTLINE_OK || extline_fds(ext, &in, &out, &wake) != EXTLINE_OK) {
        fprintf(stderr, "ticker: %s\n", extline_last_error());
        return 1;
    }
    int loop = epoll_create1(EPOLL_CLOEXEC);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    struct itimerspec every = { { 0, 100000000 }, { 0, 100000000 } };
    timerfd_settime(timer, 0, &every, NULL);
    watch(loop, EPOLL_CTL_ADD, timer, EPOLLIN);
    watch(loop, EPOLL_CTL_ADD, in, EPOLLIN);
    watch(loop, EPOLL_CTL_ADD, wake, EPOLLIN);
    watch(loop, EPOLL_CTL_ADD, out, 0);

    for (;;) {
        extline_result result;
        while ((result = extline_next(ext)) == EXTLINE_OK)
            ;                                                 /* each turn runs one handler */
        if (result != EXTLINE_AGAIN)
            break;
        watch(loop, EPOLL_CTL_MOD, out, extline_interest(ext) & EXTLINE_WRITE ? EPOLLOUT : 0);
        watch(loop, EPOLL_CTL_MOD, in, extline_interest(ext) & EXTLINE_READ ? EPOLLIN : 0);

        struct epoll_event events[4];
        int count = epoll_wait(loop, events, 4, extline_timeout_ms(ext));
        uint32_t ready = 0;
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            if (fd == timer)
                tick(timer);
            else
                ready |= fd == in ? EXTLINE_READ : fd == out ? EXTLINE_WRITE : EXTLINE_WAKE;
        }
        extline_step(ext, ready);                             /* reads and writes, and waits for nothing */
    }
    int status = extline_exit_status(ext);
    extline_free(ext);
    return status;
}
