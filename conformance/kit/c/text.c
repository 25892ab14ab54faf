#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put_n(text *to, const char *ptr, size_t len) {
    if (to->capacity - to->len < len + 1) {
        to->capacity = 2 * (to->len + len + 1);
        to->ptr = realloc(to->ptr, to->capacity);
        if (to->ptr == NULL) abort();
    }
    if (len > 0) memcpy(to->ptr + to->len, ptr, len);
    to->len += len;
    to->ptr[to->len] = '\0';
}

void put(text *to, const char *string) {
    put_n(to, string, strlen(string));
}

/* The escape of a byte that has one, in JSON's shortest form. */
static const char *escape_of(unsigned char byte, char (*room)[7]) {
    static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = byte != 0 ? strchr(special, byte) : NULL;
    if (found == NULL && byte >= 0x20) return NULL;
    if (found != NULL)
        snprintf(*room, sizeof *room, "\\%c", letters[found - special]);
    else
        snprintf(*room, sizeof *room, "\\u%04x", byte);
    return *room;
}

void put_json_string(text *to, const char *ptr, size_t len) {
    put(to, "\"");
    for (size_t i = 0; i < len; i++) {
        char room[7];
        const char *escape = escape_of((unsigned char)ptr[i], &room);
        if (escape != NULL)
            put(to, escape);
        else
            put_n(to, ptr + i, 1);
    }
    put(to, "\"");
}

void forget(text *which) {
    free(which->ptr);
    *which = (text){NULL, 0, 0};
}
