/* A small harness: each program is one list of tests, run in order, told in TAP.
 *
 *     static void answers(void) { CHECK_EQ(1 + 1, 2); }
 *     TESTS(TEST(answers))
 *
 * A failed CHECK ends its test, not the program: the others say what they have to say. It leaves by
 * longjmp, which no callback may, nor another thread: these have WANT, which writes down what is
 * wrong, and the test fails at its end. With names as arguments the program runs these tests only. */
#ifndef EXTLINE_TEST_H
#define EXTLINE_TEST_H

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <extline.h>

typedef struct test {
    const char *name;
    void (*run)(void);
} test;

static jmp_buf test_failed;
static char test_wrong[1000]; /* what WANT saw first */
static pthread_mutex_t test_lock = PTHREAD_MUTEX_INITIALIZER;

/* Wherever a test waits for another thread or process: long enough for valgrind on a busy machine,
 * and it bounds a hang, nothing else. */
#define PATIENCE_MS 60000

#define FAIL(...) \
    do { \
        printf("# %s:%d: ", __FILE__, __LINE__); \
        printf(__VA_ARGS__); \
        printf("\n"); \
        longjmp(test_failed, 1); \
    } while (0)

#define CHECK(condition) \
    do { \
        if (!(condition)) FAIL("%s", #condition); \
    } while (0)

#define CHECK_EQ(is, wanted) \
    do { \
        long long is_ = (long long)(is), wanted_ = (long long)(wanted); \
        if (is_ != wanted_) FAIL("%s is %lld, not %lld", #is, is_, wanted_); \
    } while (0)

/* Of a result code: told by its name, with what the library said. */
#define CHECK_CODE(call, wanted) \
    do { \
        extline_result is_ = (call), wanted_ = (wanted); \
        if (is_ != wanted_) \
            FAIL("%s is %s, not %s: %s", #call, extline_result_name(is_), extline_result_name(wanted_), \
                 extline_last_error()); \
    } while (0)

#define CHECK_OK(call) CHECK_CODE(call, EXTLINE_OK)

/* The code, and that the text for people has this in it. */
#define CHECK_FAILS(call, wanted, part) \
    do { \
        CHECK_CODE(call, wanted); \
        CHECK_HAS(extline_last_error(), part); \
    } while (0)

#define CHECK_HAS(text, part) \
    do { \
        const char *text_ = (text), *part_ = (part); \
        if (!text_ || !strstr(text_, part_)) FAIL("%s is `%s`, without `%s`", #text, text_ ? text_ : "NULL", part_); \
    } while (0)

#define CHECK_TEXT(is, wanted) \
    do { \
        const char *is_ = (is), *wanted_ = (wanted); \
        if (!is_ || strcmp(is_, wanted_) != 0) FAIL("%s is `%s`, not `%s`", #is, is_ ? is_ : "NULL", wanted_); \
    } while (0)

/* Of an extline_str: also that it ends with a NUL. */
#define CHECK_STR(is, wanted) \
    do { \
        extline_str str_ = (is); \
        CHECK(str_.ptr != NULL); \
        CHECK_TEXT(str_.ptr, wanted); \
        CHECK_EQ(str_.len, strlen(wanted)); \
    } while (0)

#define WANT(condition) \
    do { \
        if (!(condition)) test_is_wrong(__FILE__, __LINE__, #condition " is not so", extline_last_error()); \
    } while (0)

#define WANT_CODE(call, wanted) \
    do { \
        extline_result is_ = (call); \
        if (is_ != (wanted)) \
            test_is_wrong(__FILE__, __LINE__, #call " is not " #wanted " but", extline_result_name(is_)); \
    } while (0)

#define WANT_OK(call) WANT_CODE(call, EXTLINE_OK)

static inline void test_is_wrong(const char *file, int line, const char *what, const char *why) {
    pthread_mutex_lock(&test_lock);
    if (*test_wrong == '\0') snprintf(test_wrong, sizeof test_wrong, "%s:%d: %s %s", file, line, what, why);
    pthread_mutex_unlock(&test_lock);
}

/* In a function of its own: what longjmp may clobber must not be a local variable of the loop. */
static int run_test(void (*run)(void)) {
    *test_wrong = '\0';
    if (setjmp(test_failed) != 0) return 0;
    run();
    if (*test_wrong != '\0') printf("# %s\n", test_wrong);
    return *test_wrong == '\0';
}

static int run_tests(const test *tests, size_t count, int argc, char **argv) {
    int number = 0, failed = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (const test *one = tests; one < tests + count; one++) {
        int is_chosen = argc < 2, is_good;
        for (int i = 1; i < argc; i++) is_chosen |= strcmp(argv[i], one->name) == 0;
        if (!is_chosen) continue;
        is_good = run_test(one->run);
        printf("%s %d - %s\n", is_good ? "ok" : "not ok", ++number, one->name);
        failed += !is_good;
    }
    printf("1..%d\n", number);
    return failed || number == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST(function) { #function, function }
#define TESTS(...) \
    int main(int argc, char **argv) { \
        static const test tests[] = {__VA_ARGS__}; \
        return run_tests(tests, sizeof tests / sizeof *tests, argc, argv); \
    }

static const char *test_program;

/* The same for a program that is also the extension under test: started by itself with --extension
 * NAME, it becomes `extension(NAME)`. */
#define TESTS_WITH(extension, ...) \
    int main(int argc, char **argv) { \
        static const test tests[] = {__VA_ARGS__}; \
        test_program = argv[0]; \
        if (argc == 3 && strcmp(argv[1], "--extension") == 0) return extension(argv[2]); \
        return run_tests(tests, sizeof tests / sizeof *tests, argc, argv); \
    }

#endif
