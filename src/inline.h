/* The declaration of functions used by the host and by kernels. Private. */
#ifndef SPG_SRC_INLINE_H
#define SPG_SRC_INLINE_H

/* Kernels define SPG_INLINE before they include this, for functions on both sides. */
#ifndef SPG_INLINE
#define SPG_INLINE static inline
#endif

#endif
