/* What streams may show, and the progress lines, with an injected clock. */
#include "../check.h"

#include "base/clock.h"
#include "base/own.h"
#include "cli/progress.h"
#include "cli/term.h"

#include <fcntl.h>
#include <pty.h>

TEST(colour_rules)
{
    const struct stream_facts tty = {.tty = true, .term = "xterm"};
    struct stream_facts f = tty;
    CHECK_EQ(term_colour(&f, COLOR_AUTO), true);
    CHECK_EQ(term_colour(&f, COLOR_NEVER), false);
    f.no_color = "";
    CHECK_EQ(term_colour(&f, COLOR_AUTO), true); /* empty counts as unset */
    f.no_color = "1";
    CHECK_EQ(term_colour(&f, COLOR_AUTO), false);
    CHECK_EQ(term_colour(&f, COLOR_ALWAYS), true);
    f.force_color = "1";
    CHECK_EQ(term_colour(&f, COLOR_AUTO), false); /* no beats force */
    f = tty;
    f.term = "dumb";
    CHECK_EQ(term_colour(&f, COLOR_AUTO), false);
    CHECK_EQ(term_live(&f), false);
    f = tty;
    f.ci = "true";
    CHECK_EQ(term_colour(&f, COLOR_AUTO), false);
    CHECK_EQ(term_live(&f), false);
    f.force_color = "1";
    CHECK_EQ(term_colour(&f, COLOR_AUTO), true);
    f = (struct stream_facts){.force_color = "1"};
    CHECK_EQ(term_colour(&f, COLOR_AUTO), true);
    CHECK_EQ(term_live(&f), false); /* a file is never redrawn */
    f.force_color = NULL;
    CHECK_EQ(term_colour(&f, COLOR_AUTO), false);
}

TEST(words)
{
    own_text struct text t = {0};
    struct progress p = {.phase = "baseline", .what = "", .runs = 37, .failed = 4, .planned = 200,
                         .low = 0.0402, .high = 0.2466, .left_ns = 19 * NS_PER_S + 1};
    progress_words(&p, true, &t);
    CHECK_STR(text_str(&t),
              "baseline   37 of ≤ 200 runs · 4 failed · rate 4–25 % · at most 20 s left");
    text_clear(&t);
    p = (struct progress){.phase = "provoke", .what = "rng=7", .runs = 1, .left_ns = -5};
    progress_words(&p, true, &t);
    CHECK_STR(text_str(&t), "provoke    rng=7 · 1 run · 0 failed · at most 0 s left");
}

static int64_t fake_now;
static int64_t now(void)
{
    return fake_now;
}

static void read_back(int fd, char *buf, size_t size)
{
    ssize_t n = read(fd, buf, size - 1);
    buf[n > 0 ? n : 0] = 0;
}

static void tell(struct progress_view *v, const char *phase, unsigned runs)
{
    watch_tell(&v->watch, &(struct progress){.phase = phase, .what = "", .runs = runs});
}

TEST(one_line_for_each_phase)
{
    char got[512];
    own_fd int in = -1, out = -1;
    int ends[2];
    CHECK_EQ(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    in = ends[0];
    out = ends[1];
    struct progress_view v = {.fd = out, .now = now};
    progress_start(&v);
    tell(&v, "baseline", 1);
    tell(&v, "baseline", 60);
    read_back(in, got, sizeof got);
    CHECK_STR(got, "");
    tell(&v, "verify", 2);
    read_back(in, got, sizeof got);
    CHECK_STR(got, "baseline   60 runs · 0 failed\n");
    tell(&v, "esc\033[2J", 10); /* never a raw escape */
    tell(&v, "verify", 3);
    progress_end(&v);
    read_back(in, got, sizeof got);
    CHECK_STR(got, "verify     2 runs · 0 failed\nesc?[2J    10 runs · 0 failed\n"
                   "verify     3 runs · 0 failed\n");
}

/* A terminal of our own: this process leads a session that has it as its controlling one. */
static void live_child(void)
{
    struct progress_view v = {.fd = STDERR_FILENO, .live = true, .width = 30, .now = now};
    progress_start(&v);
    tell(&v, "baseline", 1); /* too early */
    fake_now = NS_PER_S;
    tell(&v, "baseline", 2);
    fake_now += NS_PER_S / 20;
    tell(&v, "baseline", 3); /* too soon */
    fake_now += NS_PER_S / 20;
    tell(&v, "baseline", 4);
    progress_end(&v);
    _exit(0);
}

TEST(live_line_is_late_slow_and_cut)
{
    char got[512] = "";
    size_t have = 0;
    int terminal = -1;
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    if (pid == 0)
        live_child();
    if (pid < 0)
        SKIP("no pseudo-terminal here");
    ssize_t n;
    while (have < sizeof got - 1 && (n = read(terminal, got + have, sizeof got - 1 - have)) > 0)
        have += (size_t)n;
    got[have] = 0;
    close(terminal);
    CHECK_STR(got, "\r\033[Kbaseline   2 runs · 0 failed…"
                   "\r\033[Kbaseline   4 runs · 0 failed…\r\033[K");
}
