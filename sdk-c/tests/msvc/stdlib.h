/* What extline.h uses of Microsoft's stdlib.h, which is not to be had elsewhere. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t size);
void free(void *memory);
#ifdef __cplusplus
}
#endif
