/* JSON as a tree of values. Of duplicate keys the last one counts. */
#ifndef NATIVE_H
#define NATIVE_H

#include "text.h"

typedef struct value value;

/* Of JSON that the library has checked: anything else ends the program. */
value *parse_value(const char *json, size_t len);
void write_value(const value *what, text *to);
void free_value(value *what);

#endif
