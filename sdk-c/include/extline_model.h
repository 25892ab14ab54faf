/* Between a model and its tools, in C: libextline_model, a static library. Made from its sources by
 * cbindgen: change those, and run scripts/generate.sh. */

#ifndef EXTLINE_MODEL_H
#define EXTLINE_MODEL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Mends one JSON value that a model wrote: `length` bytes of UTF-8 at `text`.
 *
 * The answer is a JSON object that ends with a NUL: `value`, `fixes` (each with `kind`, `offset`, `line`,
 * `column`, `found` and `text`), `unlisted` (fixes beyond the 1,000 that are listed) and `truncated`. What
 * cannot be repaired is `{"error": {"kind", "offset", "line", "column", "text"}}`, whose `text` can go back
 * to the model; what was given wrongly is an `error` of the kind `argument`, without a place. It is never
 * NULL; free it with `extline_model_free`. May be called from any thread.
 */
char *extline_model_repair(const char *text,
                           size_t length);

/**
 * Finds the tool calls in what a model wrote: `length` bytes of UTF-8 at `text`.
 *
 * `offered` has the tools that the model was offered: a JSON array of names, or of objects with `name` and
 * `schema`, the JSON Schema of the tool's arguments, which says where families write them without types
 * what is text. Calls of other tools are not found.
 *
 * The answer is a JSON object that ends with a NUL: `calls` (each with `name`, `arguments`, `id`, `envelope`,
 * `start`, `end`, `fixes` and `truncated`), `remaining`, `envelope`, `repaired`, `truncated` and `refused`. What
 * was given wrongly is `{"error": {"kind": "argument", "text"}}`. It is never NULL; free it with
 * `extline_model_free`. May be called from any thread.
 */
char *extline_model_extract(const char *text,
                            size_t length,
                            const char *offered,
                            size_t offered_length);

/**
 * Renders the JSON Schema of a tool's arguments, `length` bytes of UTF-8 at `schema`, as a provider takes it:
 * `openai` (its strict mode), `anthropic`, `google` or `mistral`. `name` is that of the tool, which is
 * checked too, or NULL.
 *
 * The answer is a JSON object that ends with a NUL: `schema` and `notes`, every change with its `kind`,
 * `pointer` and `text`. What the provider cannot be given is `{"error": {"kind", "pointer", "text"}}`; what was
 * given wrongly is an `error` of the kind `argument`, without a place. It is never NULL; free it with
 * `extline_model_free`. May be called from any thread.
 */
char *extline_model_schema_for(const char *provider,
                               const char *name,
                               const char *schema,
                               size_t length);

/**
 * Frees what one of the other functions has answered, once; NULL is let pass. May be called from any thread.
 */
void extline_model_free(char *answer);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* EXTLINE_MODEL_H */
