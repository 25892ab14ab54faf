/* What C's variable arguments make impossible in a library that is not written in C. Each makes a text as
 * printf does and hands it on; `EXTLINE_ARGUMENT` for a format that cannot be written. From any thread. */

/** Writes a text into `small`, or where it is too long into memory to be freed; NULL when that fails. Used
 * by what follows. */
EXTLINE_PRINTF(4, 0)
static inline char *extline_format(char *small, size_t size, size_t *length, const char *format,
                                   va_list arguments) {
    char *text = small;
    va_list again;
    int written;

    va_copy(again, arguments);
    written = vsnprintf(small, size, format, arguments);
    if (written >= 0 && (size_t)written >= size) {
        text = (char *)malloc((size_t)written + 1);
        if (text != NULL) {
            written = vsnprintf(text, (size_t)written + 1, format, again);
        }
    }
    va_end(again);
    if (written < 0) {
        if (text != small) {
            free(text);
        }
        return NULL;
    }
    *length = (size_t)written;
    return text;
}

/* What each of them does with its text. */
#define EXTLINE_FORMATTED(said)                                                        \
    char small[512];                                                                   \
    char *text;                                                                        \
    va_list arguments;                                                                 \
    size_t length = 0;                                                                 \
    extline_result result;                                                             \
                                                                                       \
    va_start(arguments, format);                                                       \
    text = extline_format(small, sizeof(small), &length, format, arguments);           \
    va_end(arguments);                                                                 \
    if (text == NULL) {                                                                \
        return extline_format_refused();                                               \
    }                                                                                  \
    result = said;                                                                     \
    if (text != small) {                                                               \
        free(text);                                                                    \
    }                                                                                  \
    return result;

/** `extline_call_text`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_textf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_text_n(call, text, length))
}

/** `extline_call_error`, with a message as printf writes it. */
EXTLINE_PRINTF(3, 4)
static inline extline_result extline_call_errorf(extline_call *call, const char *kind, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_error(call, kind, text))
}

/** `extline_call_block`, with a reason as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_blockf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_block(call, text))
}

/** `extline_call_update`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_updatef(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_call_update(call, text))
}

/** `extline_respond_prompt`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_respond_promptf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_respond_prompt(call, text))
}

/** `extline_respond_display`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_respond_displayf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_respond_display(call, text))
}

/** `extline_respond_error`, as printf writes it. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_respond_errorf(extline_call *call, const char *format, ...) {
    EXTLINE_FORMATTED(extline_respond_error(call, text))
}

#undef EXTLINE_FORMATTED
