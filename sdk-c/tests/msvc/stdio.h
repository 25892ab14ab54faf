/* What extline.h uses of Microsoft's stdio.h, which is not to be had elsewhere. */
#include <stdarg.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C"
#endif
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
