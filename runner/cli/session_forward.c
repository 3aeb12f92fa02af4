/* Which of pytest's arguments go on to the runs of one test. A run reports to us and nobody else,
 * and runs one test once: what shows, counts, selects or distributes stays behind, and the command
 * that is printed is short. */
#include "cli/session.h"

#include <string.h>

enum takes { NOTHING, VALUE };
enum kind { OURS, SHOWS, SELECTS };

static const struct left_out {
    const char *name; /* one that ends in "*": all that begin so */
    enum takes takes;
    enum kind kind;
} left_out[] = {
    {"--doctor", NOTHING, OURS},
    {"--doctor-allow-side-effects", NOTHING, OURS},
    {"--doctor-*", VALUE, OURS},
    {"--prob-transpose", NOTHING, OURS},
    {"--prob-explain", NOTHING, OURS},
    {"--prob-plan", NOTHING, OURS},
    {"--prob-latency", NOTHING, OURS},
    {"--prob-tests", NOTHING, OURS},
    {"--prob-diagnose", NOTHING, OURS},
    {"--prob-no-*", NOTHING, OURS},
    {"--prob-*", VALUE, OURS},
    {"--ai-evidence", NOTHING, OURS},
    {"--ai-*", VALUE, OURS},
    {"-n", VALUE, OURS},
    {"--numprocesses", VALUE, OURS},
    {"--maxprocesses", VALUE, OURS},
    {"--maxschedchunk", VALUE, OURS},
    {"--dist", VALUE, OURS},
    {"--tx", VALUE, OURS},
    {"-d", NOTHING, OURS},
    {"-f", NOTHING, OURS},
    {"--looponfail", NOTHING, OURS},
    {"--reruns", VALUE, OURS},
    {"--reruns-delay", VALUE, OURS},
    {"--tb", VALUE, SHOWS},
    {"-r", VALUE, SHOWS},
    {"--color", VALUE, SHOWS},
    {"--code-highlight", VALUE, SHOWS},
    {"--durations", VALUE, SHOWS},
    {"--durations-min", VALUE, SHOWS},
    {"--show-capture", VALUE, SHOWS},
    {"--verbosity", VALUE, SHOWS},
    {"--junitxml", VALUE, SHOWS},
    {"--junit-xml", VALUE, SHOWS},
    {"--junit-prefix", VALUE, SHOWS},
    {"--maxfail", VALUE, SHOWS},
    {"--basetemp", VALUE, SHOWS},
    {"--pdb", NOTHING, SHOWS},
    {"--trace", NOTHING, SHOWS},
    {"--pdbcls", VALUE, SHOWS},
    {"--quiet", NOTHING, SHOWS},
    {"--verbose", NOTHING, SHOWS},
    {"--showlocals", NOTHING, SHOWS},
    {"--full-trace", NOTHING, SHOWS},
    {"--no-header", NOTHING, SHOWS},
    {"--no-summary", NOTHING, SHOWS},
    {"--exitfirst", NOTHING, SHOWS},
    {"--cache-clear", NOTHING, SHOWS},
    {"--lf", NOTHING, SHOWS},
    {"--last-failed", NOTHING, SHOWS},
    {"--ff", NOTHING, SHOWS},
    {"--failed-first", NOTHING, SHOWS},
    {"--nf", NOTHING, SHOWS},
    {"--new-first", NOTHING, SHOWS},
    {"--sw", NOTHING, SHOWS},
    {"--stepwise", NOTHING, SHOWS},
    {"--sw-skip", NOTHING, SHOWS},
    {"--stepwise-skip", NOTHING, SHOWS},
    {"-k", VALUE, SELECTS},
    {"-m", VALUE, SELECTS},
    {"--deselect", VALUE, SELECTS},
    {"--ignore", VALUE, SELECTS},
    {"--ignore-glob", VALUE, SELECTS},
};

/* How far `name` goes into `word`: its length, or 0 if it is not that option. */
static size_t option_in(const char *word, const char *name)
{
    size_t n = strlen(name);
    if (name[n - 1] == '*')
        return strncmp(word, name, n - 1) == 0 ? strcspn(word, "=") : 0;
    if (strncmp(word, name, n) != 0)
        return 0;
    bool is_long = name[1] == '-';
    return word[n] && is_long && word[n] != '=' ? 0 : n;
}

/* How many words the option at `at` takes when it is left out; 0: it stays. */
static size_t leave_out(char *const *at, enum forward to)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const struct left_out *o = &left_out[i];
        size_t n = option_in(*at, o->name);
        if (n == 0 || (o->kind == SHOWS && to == FORWARD_SEEN) ||
            (o->kind == SELECTS && to == FORWARD_ASKED))
            continue;
        if (o->takes == NOTHING && (*at)[n])
            continue; /* letters run together: letters() */
        return o->takes == VALUE && !(*at)[n] && at[1] ? 2 : 1;
    }
    return 0;
}

/* -qq, -xvs: of letters that take no value, those that only show go. False: not such a word. */
static bool letters(const char *word, struct argv *out)
{
    static const char plain[] = "qvxlsdf", show[] = "qvxldf";
    if (word[0] != '-' || !word[1] || word[1 + strspn(word + 1, plain)])
        return false;
    own_text struct text kept = {0};
    for (const char *c = word + 1; *c; c++)
        if (!strchr(show, *c))
            text_addc(&kept, *c);
    if (kept.len)
        argv_addf(out, "-%s", text_str(&kept));
    return true;
}

/* -p NAME: ourselves, and who writes to the terminal. 0: another plugin, or no -p. */
static size_t plugin(char *const *at)
{
    static const char *const names[] = {"flaky_repro", "flakedoctor", "no:terminal"};
    if (strncmp(*at, "-p", 2) != 0)
        return 0;
    const char *name = (*at)[2] ? *at + 2 : at[1];
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return (*at)[2] ? 1 : 2;
    return 0;
}

void session_forward(const struct argv *args, enum forward to, struct argv *out)
{
    for (size_t i = 0; i < args->n;) {
        char *const *at = &args->at[i];
        size_t gone = plugin(at);
        if (!gone && to != FORWARD_SEEN && letters(*at, out))
            gone = 1;
        if (!gone)
            gone = leave_out(at, to);
        if (!gone)
            argv_add(out, *at);
        i += gone ? gone : 1;
        /* The value of another option could look like one of these. */
        if (!gone && (*at)[0] == '-' && (strcmp(*at, "-p") == 0 || strcmp(*at, "-o") == 0 ||
                                         strcmp(*at, "-c") == 0 || strcmp(*at, "-W") == 0) &&
            i < args->n)
            argv_add(out, args->at[i++]);
    }
}
