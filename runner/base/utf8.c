#include "base/utf8.h"

size_t utf8_next(const char *s, size_t n, uint32_t *ret_point)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* below: an overlong form */
    if (n == 0)
        return 0;
    unsigned char lead = (unsigned char)s[0];
    size_t len = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (len == 0 || len > n || lead > 0xF4)
        return 0;
    uint32_t point = len == 1 ? lead : lead & (0xFFu >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        unsigned char next = (unsigned char)s[i];
        if ((next & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (next & 0x3Fu);
    }
    if (point < least[len] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF))
        return 0;
    *ret_point = point;
    return len;
}
