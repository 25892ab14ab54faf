/* What C's variable arguments make impossible in a library that is not written in C. */

/** Answers like `extline_call_text`, with a text that printf's format makes. `EXTLINE_ARGUMENT` for a
 * format that cannot be written. From any thread. */
EXTLINE_PRINTF(2, 3)
static inline extline_result extline_call_textf(extline_call *call, const char *format, ...) {
    char small[512];
    char *text = small;
    va_list arguments;
    int length;
    extline_result result;

    va_start(arguments, format);
    length = vsnprintf(small, sizeof(small), format, arguments);
    va_end(arguments);
    if (length >= (int)sizeof(small)) {
        text = (char *)malloc((size_t)length + 1);
        if (text != NULL) {
            va_start(arguments, format);
            length = vsnprintf(text, (size_t)length + 1, format, arguments);
            va_end(arguments);
        }
    }
    if (length < 0 || text == NULL) {
        return EXTLINE_ARGUMENT;
    }
    result = extline_call_text_n(call, text, (size_t)length);
    if (text != small) {
        free(text);
    }
    return result;
}
