#include "native.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct value {
    enum { WORD, STRING, LIST, OBJECT } kind;
    text key;  /* of a member */
    text text; /* of a string; of a number, true, false and null as it stands */
    value *children, *next;
};

typedef struct {
    const char *at, *end;
} source;

static value *read_value(source *from);

static void skip_space(source *from) {
    while (from->at < from->end && strchr(" \t\r\n", *from->at) != NULL) from->at++;
}

static bool take(source *from, char wanted) {
    skip_space(from);
    if (from->at == from->end || *from->at != wanted) return false;
    from->at++;
    return true;
}

static void need(bool is_there) {
    if (!is_there) abort();
}

static void put_utf8(text *to, unsigned long code) {
    char bytes[4];
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = len; i-- > 1; code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3F));
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    bytes[0] = (char)(first[len] | code);
    put_n(to, bytes, len);
}

static unsigned long hex4(source *from) {
    char digits[5] = "";
    need(from->end - from->at >= 4);
    memcpy(digits, from->at, 4);
    from->at += 4;
    return strtoul(digits, NULL, 16);
}

/* The library has made each half of a surrogate pair that stood alone a U+FFFD. */
static void read_escape(source *from, text *to) {
    static const char letters[] = "bfnrt", stand_for[] = "\b\f\n\r\t";
    need(from->at < from->end);
    char letter = *from->at++;
    const char *special = strchr(letters, letter);
    if (letter == 'u') {
        unsigned long code = hex4(from);
        if (code >= 0xD800 && code < 0xDC00) {
            need(from->end - from->at >= 6);
            from->at += 2;
            code = 0x10000 + ((code - 0xD800) << 10) + (hex4(from) - 0xDC00);
        }
        put_utf8(to, code);
    } else {
        put_n(to, special != NULL ? &stand_for[special - letters] : &letter, 1);
    }
}

static text read_string(source *from) {
    text string = {NULL, 0, 0};
    need(take(from, '"'));
    put(&string, "");
    while (from->at < from->end && *from->at != '"') {
        char one = *from->at++;
        if (one == '\\')
            read_escape(from, &string);
        else
            put_n(&string, &one, 1);
    }
    need(take(from, '"'));
    return string;
}

/* Takes the place of the member with the same key. */
static void put_member(value *object, value *member) {
    value **at = &object->children;
    while (*at != NULL) {
        value *other = *at;
        if (other->key.len == member->key.len && memcmp(other->key.ptr, member->key.ptr, member->key.len) == 0) {
            member->next = other->next;
            other->next = NULL;
            free_value(other);
            break;
        }
        at = &other->next;
    }
    *at = member;
}

static void read_members(source *from, value *object) {
    if (take(from, '}')) return;
    do {
        text key = read_string(from);
        need(take(from, ':'));
        value *member = read_value(from);
        member->key = key;
        put_member(object, member);
    } while (take(from, ','));
    need(take(from, '}'));
}

static void read_items(source *from, value *list) {
    if (take(from, ']')) return;
    value **end = &list->children;
    do {
        *end = read_value(from);
        end = &(*end)->next;
    } while (take(from, ','));
    need(take(from, ']'));
}

static value *read_value(source *from) {
    value *made = calloc(1, sizeof *made);
    if (made == NULL) abort();
    skip_space(from);
    need(from->at < from->end);
    if (take(from, '{')) {
        made->kind = OBJECT;
        read_members(from, made);
    } else if (take(from, '[')) {
        made->kind = LIST;
        read_items(from, made);
    } else if (*from->at == '"') {
        made->kind = STRING;
        made->text = read_string(from);
    } else {
        const char *start = from->at;
        while (from->at < from->end && strchr(",]} \t\r\n", *from->at) == NULL) from->at++;
        put_n(&made->text, start, (size_t)(from->at - start));
    }
    return made;
}

value *parse_value(const char *json, size_t len) {
    source from = {json, json + len};
    return read_value(&from);
}

void write_value(const value *what, text *to) {
    if (what->kind == WORD) put_n(to, what->text.ptr, what->text.len);
    if (what->kind == STRING) put_json_string(to, what->text.ptr, what->text.len);
    if (what->kind == WORD || what->kind == STRING) return;
    put(to, what->kind == LIST ? "[" : "{");
    for (const value *child = what->children; child != NULL; child = child->next) {
        if (what->kind == OBJECT) {
            put_json_string(to, child->key.ptr, child->key.len);
            put(to, ":");
        }
        write_value(child, to);
        if (child->next != NULL) put(to, ",");
    }
    put(to, what->kind == LIST ? "]" : "}");
}

void free_value(value *what) {
    while (what != NULL) {
        value *next = what->next;
        free_value(what->children);
        forget(&what->key);
        forget(&what->text);
        free(what);
        what = next;
    }
}
