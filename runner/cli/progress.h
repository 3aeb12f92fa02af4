#ifndef FR_CLI_PROGRESS_H
#define FR_CLI_PROGRESS_H
/* Progress on stderr. On a foreground terminal one line that is redrawn, not before the work has
 * taken a second and at most ten times a second; anywhere else one line for each phase, printed
 * when the phase ends. */
#include <stdbool.h>

#include "base/text.h"
#include "search/watch.h"

struct progress_view {
    struct watch watch; /* what the search is given */
    int fd;
    bool live;
    unsigned width;       /* columns of the terminal */
    int64_t (*now)(void); /* monotonic ns; tests bring their own clock */
    int64_t began_ns, drawn_ns;
    bool drawn;          /* a live line stands on the screen */
    char phase[24];      /* the phase under way, "" before the first */
    struct text summary; /* its newest counts, for the line at its end */
};

/* Fields fd, live, width and now are the caller's; progress_start sets the rest. */
void progress_start(struct progress_view *v);
void progress_end(struct progress_view *v); /* removes the live line, or prints the last phase */

/* "baseline   37 of ≤ 200 runs · 4 failed · rate 4–25 %"; with_left adds the time left. */
void progress_words(const struct progress *p, bool with_left, struct text *out);

#endif
