/* A text that grows, and JSON strings in it. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>

typedef struct {
    char *ptr; /* ends with a NUL once something was put */
    size_t len, capacity;
} text;

void put_n(text *to, const char *ptr, size_t len);
void put(text *to, const char *string);
/* With quotation marks and escapes. */
void put_json_string(text *to, const char *ptr, size_t len);
void forget(text *which);

#endif
