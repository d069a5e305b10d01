/* Packs of neighbouring values of a block, which one instruction takes; compilers do not find them in loops of constant
 * length. Template; see host/value_types.h. PACK values each; without the extension of GNU C one. */
#ifdef __GNUC__
typedef VALUE NAMED(pack) __attribute__((vector_size(PACK * sizeof(VALUE)), aligned(sizeof(VALUE)), may_alias));
typedef NAMED(bits) NAMED(mask) __attribute__((vector_size(PACK * sizeof(VALUE))));
#else
typedef VALUE NAMED(pack);
#endif
