/* As much of JSON as a reply needs: the value of a top-level member. */
#define _GNU_SOURCE
#include <string.h>

#include "bench.h"

/* `at` is behind the opening quote; returns what is behind the closing one. */
static const char *behind_string(const char *at, const char *end) {
    while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* Where the member's value starts; NULL when there is none. */
const char *json_member(const char *line, size_t length, const char *name) {
    const char *at = line, *end = line + length;
    size_t name_length = strlen(name);
    int depth = 0, key_is_next = 0;
    while (at < end) {
        char byte = *at++;
        if (byte == '{' || byte == '[') {
            depth++;
            key_is_next = byte == '{' && depth == 1;
        } else if (byte == '}' || byte == ']') {
            depth--;
        } else if (byte == ',') {
            key_is_next = depth == 1;
        } else if (byte == '"') {
            const char *key = at;
            at = behind_string(at, end);
            if (key_is_next && (size_t)(at - 1 - key) == name_length && memcmp(key, name, name_length) == 0) {
                while (at < end && (*at == ':' || *at == ' ')) at++;
                return at;
            }
            key_is_next = 0;
        }
    }
    return NULL;
}

int json_is_string(const char *line, size_t length, const char *name, const char *value) {
    const char *found = json_member(line, length, name);
    size_t value_length = strlen(value);
    return found && *found == '"' && found + value_length + 1 < line + length &&
           memcmp(found + 1, value, value_length) == 0 && found[value_length + 1] == '"';
}
