/* Python asks for small blocks through an allocator that can be replaced (PyMem_SetAllocator, since
 * 3.4). Ours has its own address range, so neither address space randomization nor what was
 * allocated earlier moves a block: the nth block of a size since the window opened lies where the
 * seed says. Within a pool blocks are handed out upwards from some place, or in no order, as they
 * are in a heap that has been used; freed ones are used again first.
 *
 * Blocks from before the window are not used again inside it: which of them are free then depends
 * on everything that ran before. Callers hold the interpreter's lock; where several interpreters
 * have one each, whoever comes second goes to the allocator below (`busy`). */
#include "shim/heap.h"
#include "shim/live.h"
#include "shim/mix.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define PLACE UINT64_C(0x1a0000000000) /* far from where kernels put programs and libraries */
#define SHIFTS (1u << 18)              /* pages by which a seed moves the whole */
#define SPAN (UINT64_C(1) << 33)       /* of addresses for each window, and for what comes before */
#define CHUNK (UINT64_C(1) << 20)      /* mapped at once: a limit on address space sees no more */
#define POOL 16384u                    /* the first of a chunk is its header */
#define STEP 16u    /* up to SMALL, as Python's own pools */
#define SMALL 512u
#define COARSE 128u /* up to LARGE: types and modules, which Python takes from malloc */
#define LARGE 4096u
#define CLASSES (SMALL / STEP + (LARGE - SMALL) / COARSE)
#define FIRST_WINDOW 128 /* before it, modules */
#define WINDOWS 384 /* each leaves half-used pools behind: a long session stops starting again */

struct allocator { /* PyMemAllocatorEx */
    void *ctx;
    void *(*malloc)(void *ctx, size_t size);
    void *(*calloc)(void *ctx, size_t n, size_t size);
    void *(*realloc)(void *ctx, void *p, size_t size);
    void (*free)(void *ctx, void *p);
};
enum { DOMAIN_MEM = 1, DOMAIN_OBJ = 2 }; /* PyMemAllocatorDomain */

struct block {
    struct block *next;
};

struct chunk { /* its header */
    uint32_t window;
    uint8_t class_of[CHUNK / POOL]; /* of each pool */
};

static struct {
    struct allocator below[3];
    uint64_t base; /* of all spans; 0: everything goes below */
    uint64_t next; /* the next pool's address */
    uint64_t seed;
    struct block *free[CLASSES];
    uint32_t pools[CLASSES]; /* pools that the class has had since the window opened */
    uint32_t windows;
    _Atomic int busy;
} heap;

static unsigned int class_of(size_t size)
{
    if (size <= SMALL)
        return (unsigned int)((size + STEP - 1) / STEP - (size > 0));
    return (unsigned int)(SMALL / STEP + (size - SMALL + COARSE - 1) / COARSE - 1);
}

static uint32_t size_of(unsigned int class)
{
    return class < SMALL / STEP ? (class + 1) * STEP : SMALL + (class + 1 - SMALL / STEP) * COARSE;
}

/* From block to block. Types hash by their address over 16: were they all a multiple of 128 apart,
 * small sets of them would know one order only, which they do not in a real heap. */
static uint32_t stride_of(unsigned int class)
{
    return size_of(class) + (class < SMALL / STEP ? 0 : STEP);
}

static bool ours(const void *p)
{
    return (uint64_t)p - heap.base < WINDOWS * SPAN;
}

static struct chunk *chunk_of(const void *p)
{
    return (struct chunk *)(heap.base + ((uint64_t)p - heap.base) / CHUNK * CHUNK);
}

static uint8_t *class_at(const void *p)
{
    return &chunk_of(p)->class_of[((uint64_t)p - heap.base) % CHUNK / POOL];
}

/* The order in which a pool's blocks are handed out: upwards from some block and round, or mixed
 * (Fisher and Yates). The list is built from its end. */
static void fill(unsigned int class, char *pool)
{
    uint16_t order[POOL / STEP];
    uint32_t size = stride_of(class), n = (POOL - STEP) / size;
    uint64_t key = fd_mix(heap.seed, (uint64_t)class << 32 | heap.pools[class]++);
    uint32_t from = (uint32_t)(key >> 8) % n, slack = (POOL - n * size) / STEP;
    char *first = pool + (slack ? (key >> 40) % slack : 0) * STEP;
    for (uint32_t i = 0; i < n; i++)
        order[i] = (uint16_t)((from + i) % n);
    for (uint32_t i = n; key & 1 && i > 1; i--) {
        uint32_t k = (uint32_t)(fd_mix(key, i) % i);
        uint16_t swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    for (uint32_t i = n; i-- > 0;) {
        struct block *b = (struct block *)(void *)(first + order[i] * size);
        b->next = heap.free[class];
        heap.free[class] = b;
    }
}

/* Fails where something lies there already, at a limit, and at the end of the span. */
static bool new_chunk(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    if (heap.next == heap.base + (heap.windows + 1) * SPAN)
        return false;
    long at = FD_SYS6(SYS_mmap, heap.next, CHUNK, PROT_READ | PROT_WRITE, flags, -1, 0);
    if ((uint64_t)at != heap.next) {
        if (at > 0) /* a kernel before 4.17 took it for a wish */
            (void)FD_SYS2(SYS_munmap, at, CHUNK);
        return false;
    }
    chunk_of((void *)heap.next)->window = heap.windows;
    heap.next += POOL;
    return true;
}

static struct block *take(unsigned int class)
{
    struct block *b = heap.free[class];
    if (__builtin_expect(!b, 0)) {
        if ((heap.next - heap.base) % CHUNK == 0 && !new_chunk())
            return NULL;
        *class_at((void *)heap.next) = (uint8_t)class;
        fill(class, (char *)heap.next);
        heap.next += POOL;
        b = heap.free[class];
    }
    heap.free[class] = b->next;
    return b;
}

static bool enter(void)
{
    return !atomic_exchange_explicit(&heap.busy, 1, memory_order_acquire);
}

static void leave(void)
{
    atomic_store_explicit(&heap.busy, 0, memory_order_release);
}

static void *heap_malloc(void *ctx, size_t size)
{
    const struct allocator *below = ctx;
    if (size <= LARGE && enter()) {
        void *p = take(class_of(size));
        leave();
        if (p)
            return p;
    }
    return below->malloc(below->ctx, size);
}

static void *heap_calloc(void *ctx, size_t n, size_t size)
{
    const struct allocator *below = ctx;
    size_t all;
    if (__builtin_mul_overflow(n, size, &all))
        return NULL;
    if (all <= LARGE && enter()) {
        char *p = (char *)take(class_of(all));
        leave();
        for (size_t i = 0; p && i < all; i++)
            p[i] = 0;
        if (p)
            return p;
    }
    return below->calloc(below->ctx, n, size);
}

static void heap_free(void *ctx, void *p)
{
    const struct allocator *below = ctx;
    if (!ours(p)) {
        below->free(below->ctx, p);
        return;
    }
    if (chunk_of(p)->window != heap.windows || !enter())
        return; /* stays unused */
    struct block *b = p;
    unsigned int class = *class_at(p);
    b->next = heap.free[class];
    heap.free[class] = b;
    leave();
}

static void *heap_realloc(void *ctx, void *p, size_t size)
{
    const struct allocator *below = ctx;
    if (!p)
        return heap_malloc(ctx, size);
    if (!ours(p))
        return below->realloc(below->ctx, p, size);
    unsigned int class = *class_at(p);
    if (size <= LARGE && class_of(size) == class)
        return p;
    void *moved = heap_malloc(ctx, size);
    if (moved) {
        fd_copy(moved, p, size_of(class) < size ? size_of(class) : size);
        heap_free(ctx, p);
    }
    return moved;
}

/* What is not Python's own: the heap of malloc begins further up, later mappings lie further down.
 * As good as the address space randomization that is left, none where the runner turned it off. */
static void shift_the_rest(void)
{
    uint64_t by = fd_mix(heap.seed, 1);
    (void)sbrk((intptr_t)(by % 256 * STEP));
    (void)FD_SYS6(SYS_mmap, 0, (by / 256 % 64 + 1) * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
}

/* The limit as it was, for the stack of this process and of its threads. */
static void put_stack_back(uint64_t limit)
{
    struct rlimit64 stack;
    int (*get)(pthread_attr_t *), (*size)(pthread_attr_t *, size_t);
    int (*set)(const pthread_attr_t *);
    pthread_attr_t attr;
    if (!limit || FD_SYS4(SYS_prlimit64, 0, RLIMIT_STACK, 0, &stack))
        return;
    stack.rlim_cur = limit;
    (void)FD_SYS4(SYS_prlimit64, 0, RLIMIT_STACK, &stack, 0);
    *(void **)&get = dlsym(RTLD_DEFAULT, "pthread_getattr_default_np");
    *(void **)&size = dlsym(RTLD_DEFAULT, "pthread_attr_setstacksize");
    *(void **)&set = dlsym(RTLD_DEFAULT, "pthread_setattr_default_np");
    if (get && size && set && !get(&attr) && !size(&attr, limit))
        (void)set(&attr);
}

void fd_heap_start(void)
{
    void (*get)(int, struct allocator *), (*set)(int, struct allocator *);
    if (!fd_live_held(FD_AXIS_ADDRESS))
        return;
    heap.seed = fd_mix(fd_live.page->settings.address_seed, FD_MAGIC);
    shift_the_rest();
    put_stack_back(fd_live.page->settings.stack_limit);
    *(void **)&get = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
    *(void **)&set = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    /* a function that only builds without a global lock have */
    if (!get || !set || dlsym(RTLD_DEFAULT, "_Py_MergeZeroLocalRefcount"))
        return;
    heap.base = heap.next = PLACE + (heap.seed % SHIFTS) * 4096;
    for (int domain = DOMAIN_MEM; domain <= DOMAIN_OBJ; domain++) {
        get(domain, &heap.below[domain]);
        struct allocator a = {&heap.below[domain], heap_malloc, heap_calloc, heap_realloc,
                              heap_free};
        set(domain, &a);
    }
}

/* `key` tells apart what begins there; the caller may not have the interpreter's lock. */
static void start_again(uint64_t key)
{
    if (!heap.base || heap.windows == WINDOWS - 1 || !enter())
        return;
    heap.next = heap.base + ++heap.windows * SPAN;
    heap.seed = fd_mix(fd_mix(fd_live.page->settings.address_seed, FD_MAGIC), key);
    for (unsigned int i = 0; i < CLASSES; i++) {
        heap.free[i] = NULL;
        heap.pools[i] = 0;
    }
    leave();
}

void fd_heap_window(void)
{
    if (heap.windows < FIRST_WINDOW) /* whatever number of modules came before */
        heap.windows = FIRST_WINDOW - 1;
    start_again(fd_live.node);
}

void fd_heap_opened(const char *path)
{
    size_t n = fd_text_len(path);
    bool module = fd_text_ends(path, n, ".py") || fd_text_ends(path, n, ".pyc");
    if (!heap.base || !fd_live.pytest || fd_live.open || !module ||
        heap.windows >= FIRST_WINDOW - 1 || fd_text_find(path, "/lib/python3") ||
        fd_text_find(path, "-packages/") || fd_text_find(path, "/flaky_repro/"))
        return;
    const char *name = fd_text_base(path);
    start_again(fd_text_hash(name, fd_text_len(name)));
}
