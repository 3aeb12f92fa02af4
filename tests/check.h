#ifndef CHECK_H
#define CHECK_H
/* One test binary per file: TEST(name) { ... } registers itself, a failing CHECK shows both sides
 * and goes on, SKIP ends the program with the status CTest knows as skipped.
 * usage of the program: PROGRAM [NAME OF ONE TEST] */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test {
    const char *name;
    void (*run)(void);
};

/* The linker gathers the section `tests` and names its ends. */
extern const struct test __start_tests[] __attribute__((weak));
extern const struct test __stop_tests[] __attribute__((weak));
static int check_failed;

#define TEST(n)                                                                                    \
    static void n(void);                                                                           \
    __attribute__((used, section("tests"), aligned(8))) static const struct test reg_##n = {       \
        #n, n};                                                                                    \
    static void n(void)

#define CHECK_SAY(...)                                                                             \
    do {                                                                                           \
        check_failed++;                                                                            \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                            \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
    } while (0)

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what))                                                                               \
            CHECK_SAY("not so: %s", #what);                                                        \
    } while (0)

#define CHECK_EQ(a, b)                                                                             \
    do {                                                                                           \
        int64_t a_ = (int64_t)(a), b_ = (int64_t)(b);                                              \
        if (a_ != b_)                                                                              \
            CHECK_SAY("%s = %" PRId64 ", want %s = %" PRId64, #a, a_, #b, b_);                     \
    } while (0)

#define CHECK_STR(a, b)                                                                            \
    do {                                                                                           \
        const char *a_ = (a), *b_ = (b);                                                           \
        if (strcmp(a_, b_))                                                                        \
            CHECK_SAY("%s = \"%s\", want \"%s\"", #a, a_, b_);                                     \
    } while (0)

/* Written so that NaN fails both. */
#define CHECK_NEAR(a, b, off)                                                                      \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (off)))                                                             \
            CHECK_SAY("%s = %.17g, want %s = %.17g", #a, a_, #b, b_);                              \
    } while (0)

#define CHECK_LE(a, b)                                                                             \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(a_ <= b_))                                                                           \
            CHECK_SAY("%s = %.17g, want at most %s = %.17g", #a, a_, #b, b_);                      \
    } while (0)

#define SKIP(why)                                                                                  \
    do {                                                                                           \
        fprintf(stderr, "skip: %s\n", why);                                                        \
        exit(77);                                                                                  \
    } while (0)

int main(int argc, char **argv)
{
    int bad = 0, ran = 0;

    for (const struct test *t = __start_tests; t < __stop_tests; t++) {
        if (argc > 1 && strcmp(argv[1], t->name))
            continue;
        check_failed = 0;
        t->run();
        printf("%s - %s\n", check_failed ? "not ok" : "ok", t->name);
        bad += check_failed > 0;
        ran++;
    }
    /* Nothing run is nothing shown. */
    return bad > 0 || ran == 0;
}
#endif
