/* Python's global generators are seeded from the kernel at import, long before the window; the
 * state they have when it opens would depend on everything that drew since. So they are seeded
 * anew, unless the program seeded them itself: its state is then the program's, not nature's.
 *
 * Told apart by what the generator would be: born of the bytes it took at import (remembered by
 * the getrandom hook) or of our last seed, and up to BLOCKS blocks of 624 words further on. */
#include "shim/python.h"
#include "shim/birth.h"
#include "shim/live.h"
#include "shim/stream.h"
#include "shim/text.h"
#include "shim/witness.h"
#include <dlfcn.h>

/* One expression, so that __main__ gains no name; its own globals are thrown away. getrandbits of
 * one whole block is how a block's words are compared at a fraction of getstate()'s price. */
#define HEAD                                                                                 \
    "__import__('builtins').exec('''\n"                                                      \
    "try:\n"                                                                                 \
    "    import sys\n"                                                                       \
    "    def begin(seed, last, births):\n"                                                   \
    "        random = sys.modules.get('random')\n"                                           \
    "        if random is not None:\n"                                                       \
    "            words = random.getstate()[1][:-1]\n"                                        \
    "            now = random.Random(0)\n"                                                   \
    "            now.setstate((3, words + (0,), None))\n"                                    \
    "            block = now.getrandbits(19968)\n"                                           \
    "            def born(source):\n"                                                        \
    "                g = random.Random(source)\n"                                            \
    "                return g.getstate()[1][:-1] == words or any(\n"                         \
    "                    g.getrandbits(19968) == block for _ in range(64))\n"                \
    "            if any(born(b) for b in births + last):\n"                                  \
    "                random.seed(seed)\n"                                                    \
    "        numpy = sys.modules.get('numpy.random.mtrand')\n"                               \
    "        if numpy is not None and numpy._rand._bit_generator._seed_seq is not None:\n"   \
    "            numpy._rand.set_state(numpy.RandomState(seed & 0xffffffff).get_state())\n"

#define TAIL                                      \
    "except BaseException:\n"                     \
    "    pass\n"                                  \
    "''', {'__name__': 'flaky_repro'})\n"

static struct {
    bool looked_up, there;
    int (*gil_held)(void);
    int (*run)(const char *);
} api;

bool fd_python_ready(void)
{
    if (!api.looked_up) {
        *(void **)&api.gil_held = dlsym(RTLD_DEFAULT, "PyGILState_Check");
        *(void **)&api.run = dlsym(RTLD_DEFAULT, "PyRun_SimpleString");
        api.there = api.gil_held && api.run;
        api.looked_up = true;
    }
    return api.there && api.gil_held() == 1;
}

/* The bytes as Python reads them: int.from_bytes(birth, 'little'), so the last byte leads. */
static void birth_text(struct fd_line *l, const struct fd_birth *b)
{
    fd_line_text(l, "0x");
    for (int i = FD_BIRTH_BYTES - 1; i >= 0; i--) {
        const char two[3] = {"0123456789abcdef"[b->bytes[i] >> 4],
                             "0123456789abcdef"[b->bytes[i] & 15], 0};
        fd_line_text(l, two);
    }
    fd_line_text(l, ",");
}

void fd_python_run(const char *expression)
{
    api.run(expression);
}

void fd_python_seed(void)
{
    static char code[FD_BIRTHS * (2 * FD_BIRTH_BYTES + 8) + sizeof HEAD TAIL + 256];
    static uint64_t last;
    static bool seeded;
    if (!fd_live_held(FD_AXIS_RNG) || !fd_python_ready())
        return;
    uint64_t seed = fd_stream_word(FD_DOOR_PYTHON);
    struct fd_line l = {code, sizeof code, 0};
    fd_line_text(&l, HEAD "    begin(0x");
    fd_line_hex(&l, seed);
    fd_line_text(&l, ", [");
    if (seeded) {
        fd_line_text(&l, "0x");
        fd_line_hex(&l, last);
    }
    fd_line_text(&l, "], [");
    for (unsigned int i = 0; fd_birth(i); i++)
        birth_text(&l, fd_birth(i));
    fd_line_text(&l, "])\n" TAIL);
    api.run(code);
    last = seed;
    seeded = true;
}

void fd_python_witness(void)
{
    if (fd_live.witness && fd_python_ready())
        fd_witness_install();
}
