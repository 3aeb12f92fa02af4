#include "cli/progress.h"

#include "base/clock.h"
#include "base/fdio.h"
#include "cli/term.h"
#include "report/columns.h"
#include "report/percent.h"

#include <string.h>

#define QUIET_NS  NS_PER_S        /* short work shows nothing */
#define REDRAW_NS (NS_PER_S / 10) /* faster only flickers */

/* A failed write to stderr has nowhere to be reported. */
static void put(const struct progress_view *v, const char *s)
{
    (void)fdio_write_all(v->fd, s, strlen(s));
}

void progress_words(const struct progress *p, bool with_left, struct text *out)
{
    text_addf(out, "%-10s", p->phase);
    if (*p->what)
        text_addf(out, " %s ·", p->what);
    if (p->planned > 0)
        text_addf(out, " %u of ≤ %u runs", p->runs, p->planned);
    else
        text_addf(out, " %u run%s", p->runs, p->runs == 1 ? "" : "s");
    text_addf(out, " · %u failed", p->failed);
    if (p->low > 0 || p->high > 0) {
        text_add(out, " · rate ");
        percent_interval(p->low, p->high, out);
    }
    if (with_left) /* what is left of the budget bounds what is left to do */
        text_addf(out, " · at most %lld s left",
                  (long long)((p->left_ns > 0 ? p->left_ns : 0) + NS_PER_S - 1) / NS_PER_S);
}

static void erase(struct progress_view *v)
{
    if (v->drawn)
        put(v, "\r\033[K");
    v->drawn = false;
}

static void draw(struct progress_view *v, const struct progress *p)
{
    int64_t now = v->now();
    bool soon = v->drawn && now - v->drawn_ns < REDRAW_NS;
    if (now - v->began_ns < QUIET_NS || soon)
        return;
    if (!term_foreground(v->fd)) { /* a job in the background leaves the terminal alone */
        v->drawn = false;
        return;
    }
    own_text struct text words = {0}, line = {0};
    progress_words(p, true, &words);
    text_add(&line, "\r\033[K");
    columns_cut(text_str(&words), v->width > 2 ? v->width - 1 : 1, &line);
    put(v, text_str(&line));
    v->drawn = true;
    v->drawn_ns = now;
}

static void end_phase(struct progress_view *v)
{
    if (v->summary.len > 0) {
        text_addc(&v->summary, '\n');
        put(v, text_str(&v->summary));
    }
    text_clear(&v->summary);
}

static void tell(struct watch *w, const struct progress *p)
{
    struct progress_view *v = (struct progress_view *)w; /* watch is the first member */
    if (v->live) {
        draw(v, p);
        return;
    }
    if (strcmp(v->phase, p->phase) != 0)
        end_phase(v);
    text_copy(v->phase, sizeof v->phase, p->phase);
    own_text struct text words = {0};
    progress_words(p, false, &words);
    text_clear(&v->summary);
    columns_clean(text_str(&words), &v->summary);
}
_Static_assert(offsetof(struct progress_view, watch) == 0, "tell() relies on it");

void progress_start(struct progress_view *v)
{
    v->watch.tell = tell;
    v->began_ns = v->now();
    v->drawn_ns = 0;
    v->drawn = false;
    v->phase[0] = 0;
}

void progress_end(struct progress_view *v)
{
    if (v->live)
        erase(v);
    else
        end_phase(v);
    text_done(&v->summary);
}
