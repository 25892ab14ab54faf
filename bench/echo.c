/* echo [result]: the limit that every other child is compared with.
 *
 * Says hello, and writes every whole line back as it came, without looking into it. With `result`
 * it answers as a host needs it: the id and the text of the call are cut out of the line where
 * extline's host puts them, and stand in a tool_result. Both end with stdin or `shutdown`. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_all(const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(1, bytes, count);
        if (written <= 0) _exit(1);
        bytes += written;
        count -= (size_t)written;
    }
}

static int starts_with(const char *line, size_t length, const char *start) {
    return length >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

/* Appends the result of the call in `line`; returns where it ends. */
static char *put_result(char *to, const char *line, size_t length) {
    const char *id = memmem(line, length, "\"id\":\"", 6);
    const char *text = memmem(line, length, "\"text\":\"", 8);
    if (!id || !text) _exit(1);
    id += 6;
    text += 8;
    to = stpcpy(to, "{\"type\":\"tool_result\",\"id\":\"");
    to = mempcpy(to, id, (size_t)(strchr(id, '"') - id));
    to = stpcpy(to, "\",\"content\":[{\"type\":\"text\",\"text\":\"");
    /* The line ends with "}} behind the text, unless the host adds members. */
    const char *end = line + length;
    while (end[-1] != '"') end--;
    to = mempcpy(to, text, (size_t)(end - 1 - text));
    return stpcpy(to, "\"}]}\n");
}

int main(int count, char **arguments) {
    static const char hello[] =
        "{\"type\":\"hello\",\"name\":\"echo\",\"version\":\"1.0.0\",\"capabilities\":[\"tools\"]}\n"
        "{\"type\":\"register_tool\",\"name\":\"echo\",\"description\":\"Answers with the text.\",\"schema\":"
        "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}},\"required\":[\"text\"]}}\n"
        "{\"type\":\"ready\"}\n";
    int is_result = count > 1 && strcmp(arguments[1], "result") == 0;
    size_t capacity = 1 << 16, have = 0, searched = 0;
    char *lines = malloc(capacity), *out = NULL;
    write_all(hello, sizeof hello - 1);
    for (int is_first = 1;;) {
        if (capacity - have < 1 << 15) {
            lines = realloc(lines, capacity *= 2);
            free(out);
            out = NULL;
        }
        ssize_t got = read(0, lines + have, capacity - have);
        if (!lines || got <= 0) return 0;
        have += (size_t)got;
        char *last = memrchr(lines + searched, '\n', have - searched);
        searched = have;
        if (!last) continue;
        char *from = lines, *end = last + 1;
        if (is_first) from = (char *)memchr(lines, '\n', have) + 1; /* hello_ack */
        is_first = 0;
        int is_over = starts_with(from, (size_t)(end - from), "{\"type\":\"shutdown\"");
        if (is_over) return 0;
        if (!is_result) {
            write_all(from, (size_t)(end - from));
        } else {
            /* A result is shorter than twice its call. */
            if (!out && !(out = malloc(2 * capacity))) return 1;
            char *to = out;
            while (from < end) {
                char *line_end = memchr(from, '\n', (size_t)(end - from));
                size_t length = (size_t)(line_end - from);
                if (starts_with(from, length, "{\"type\":\"tool_call\"")) to = put_result(to, from, length);
                if (starts_with(from, length, "{\"type\":\"shutdown\"")) is_over = 1;
                from = line_end + 1;
            }
            write_all(out, (size_t)(to - out));
            if (is_over) return 0;
        }
        memmove(lines, end, have - (size_t)(end - lines));
        searched = have -= (size_t)(end - lines);
    }
}
