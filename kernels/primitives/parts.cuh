/* Divides a block of memory into several arrays. Private. */
#ifndef SPG_KERNELS_PRIMITIVES_PARTS_CUH
#define SPG_KERNELS_PRIMITIVES_PARTS_CUH

#include <cstdint>

namespace spg
{

/* `bytes` rounded up, so that the next part is aligned for any access. */
constexpr int64_t part_bytes(int64_t bytes) { return (bytes + 255) / 256 * 256; }

/* Takes consecutive parts of a block, each aligned for any access. Without a block it only adds up the bytes. */
struct part_taker {
    char *block;
    int64_t used;
    template <typename Part> void take(int64_t bytes, Part **part)
    {
        *part = block != nullptr ? reinterpret_cast<Part *>(block + used) : nullptr;
        used += part_bytes(bytes);
    }
    template <typename Element> void take_array(int64_t count, Element **array)
    {
        take(count * (int64_t)sizeof(Element), array);
    }
};

} // namespace spg

#endif
