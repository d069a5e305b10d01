/* How functions are defined that are for the host and for kernels. Private. */
#ifndef SPG_SRC_INLINE_H
#define SPG_SRC_INLINE_H

/* Kernels say before they include this that they want functions of both sides. */
#ifndef SPG_INLINE
#define SPG_INLINE static inline
#endif

#endif
