/* What the kit remembers from one call to the next. Calls that wait are kept and answered by who
 * ends their wait, so none of them holds a thread. */
#include <pthread.h>
#include <stdlib.h>

#include "kit.h"
#include "text.h"

typedef struct waiting {
    struct waiting *next;
    extline_call *call;
    char *name;   /* of what it holds; NULL: it waits for labels */
    size_t count; /* how many of them */
} waiting;

typedef struct name {
    struct name *next;
    char *text;
} name;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static waiting *waits;
static name *released;
static name *labels, **labels_end = &labels;
static size_t label_count;

static void answer_held(extline_call *call, const char *held) {
    extline_call_textf(call, "held %s", held);
}

static void answer_with_labels(extline_call *call, name *told) {
    text list = {NULL, 0, 0};
    put(&list, "[");
    while (told != NULL) {
        name *next = told->next;
        put_json_string(&list, told->text, strlen(told->text));
        if (next != NULL) put(&list, ",");
        free(told->text);
        free(told);
        told = next;
    }
    put(&list, "]");
    extline_call_json(call, list.ptr);
    forget(&list);
}

/* All of them, which are then forgotten; with the lock. */
static name *take_labels(void) {
    name *told = labels;
    labels = NULL;
    labels_end = &labels;
    label_count = 0;
    return told;
}

static bool is_released(const char *which) {
    for (name *one = released; one != NULL; one = one->next)
        if (strcmp(one->text, which) == 0) return true;
    return false;
}

/* Takes out the first for which that is true; with the lock. */
static waiting *take(bool (*fits)(const waiting *, const void *), const void *what) {
    for (waiting **at = &waits; *at != NULL; at = &(*at)->next) {
        waiting *found = *at;
        if (!fits(found, what)) continue;
        *at = found->next;
        return found;
    }
    return NULL;
}

static bool is_call(const waiting *one, const void *call) { return one->call == call; }
static bool is_held(const waiting *one, const void *held) { return one->name != NULL && strcmp(one->name, held) == 0; }
static bool has_enough(const waiting *one, const void *_) { (void)_; return one->name == NULL && label_count >= one->count; }

static void end_wait(waiting *one) {
    extline_call_release(one->call);
    free(one->name);
    free(one);
}

static void give_up(void *user, extline_call *call) {
    (void)user;
    pthread_mutex_lock(&lock);
    waiting *one = take(is_call, call);
    pthread_mutex_unlock(&lock);
    if (one == NULL) return;
    extline_call_error(one->call, "cancelled", "cancelled");
    end_wait(one);
}

/* With the lock, which it gives back. */
static void wait_for(extline_call *call, char *held, size_t count) {
    waiting *one = malloc(sizeof *one);
    if (one == NULL) abort();
    *one = (waiting){waits, extline_call_retain(call), held, count};
    waits = one;
    pthread_mutex_unlock(&lock);
    /* Of a command, which nothing cancels, too. */
    extline_call_on_cancel(call, give_up, NULL, NULL);
}

/* As strndup, which Windows has not. */
static char *copy_of(extline_str text) {
    char *copy = malloc(text.len + 1);
    if (copy == NULL) abort();
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

void hold(extline_call *call, extline_str which) {
    char *held = copy_of(which);
    pthread_mutex_lock(&lock);
    if (!is_released(held)) {
        wait_for(call, held, 0);
        return;
    }
    pthread_mutex_unlock(&lock);
    answer_held(call, held);
    free(held);
}

void release(extline_str which) {
    name *one = malloc(sizeof *one);
    if (one == NULL) abort();
    one->text = copy_of(which);
    pthread_mutex_lock(&lock);
    one->next = released;
    released = one;
    waiting *held;
    while ((held = take(is_held, one->text)) != NULL) {
        pthread_mutex_unlock(&lock);
        answer_held(held->call, held->name);
        end_wait(held);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
}

void record(const char *label) {
    name *one = malloc(sizeof *one);
    if (one == NULL) abort();
    *one = (name){NULL, strdup(label)};
    pthread_mutex_lock(&lock);
    *labels_end = one;
    labels_end = &one->next;
    label_count++;
    waiting *asks = take(has_enough, NULL);
    name *told = asks != NULL ? take_labels() : NULL;
    pthread_mutex_unlock(&lock);
    if (asks == NULL) return;
    answer_with_labels(asks->call, told);
    end_wait(asks);
}

void answer_labels(extline_call *call, size_t count) {
    pthread_mutex_lock(&lock);
    if (label_count < count) {
        wait_for(call, NULL, count);
        return;
    }
    name *told = take_labels();
    pthread_mutex_unlock(&lock);
    answer_with_labels(call, told);
}
