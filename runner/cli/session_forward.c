/* Which of pytest's arguments go on to the runs of one test. A run reports to us and nobody else,
 * and runs one test once: what shows, counts, selects or distributes stays behind, and the command
 * that is printed is short. */
#include "cli/session.h"

#include <string.h>

enum takes { NOTHING, VALUE };
enum goes { ALWAYS, CHOSEN };

static const struct left_out {
    const char *name; /* one that ends in "*": all that begin so */
    enum takes takes;
    enum goes goes;
} left_out[] = {
    {"--doctor", NOTHING, ALWAYS},
    {"--doctor-allow-side-effects", NOTHING, ALWAYS},
    {"--doctor-*", VALUE, ALWAYS},
    {"-n", VALUE, ALWAYS},
    {"--numprocesses", VALUE, ALWAYS},
    {"--maxprocesses", VALUE, ALWAYS},
    {"--maxschedchunk", VALUE, ALWAYS},
    {"--dist", VALUE, ALWAYS},
    {"--tx", VALUE, ALWAYS},
    {"-d", NOTHING, ALWAYS},
    {"-f", NOTHING, ALWAYS},
    {"--looponfail", NOTHING, ALWAYS},
    {"--tb", VALUE, ALWAYS},
    {"-r", VALUE, ALWAYS},
    {"--color", VALUE, ALWAYS},
    {"--code-highlight", VALUE, ALWAYS},
    {"--durations", VALUE, ALWAYS},
    {"--durations-min", VALUE, ALWAYS},
    {"--show-capture", VALUE, ALWAYS},
    {"--verbosity", VALUE, ALWAYS},
    {"--junitxml", VALUE, ALWAYS},
    {"--junit-xml", VALUE, ALWAYS},
    {"--junit-prefix", VALUE, ALWAYS},
    {"--maxfail", VALUE, ALWAYS},
    {"--basetemp", VALUE, ALWAYS},
    {"--quiet", NOTHING, ALWAYS},
    {"--verbose", NOTHING, ALWAYS},
    {"--showlocals", NOTHING, ALWAYS},
    {"--full-trace", NOTHING, ALWAYS},
    {"--no-header", NOTHING, ALWAYS},
    {"--no-summary", NOTHING, ALWAYS},
    {"--exitfirst", NOTHING, ALWAYS},
    {"--cache-clear", NOTHING, ALWAYS},
    {"--lf", NOTHING, ALWAYS},
    {"--last-failed", NOTHING, ALWAYS},
    {"--ff", NOTHING, ALWAYS},
    {"--failed-first", NOTHING, ALWAYS},
    {"--nf", NOTHING, ALWAYS},
    {"--new-first", NOTHING, ALWAYS},
    {"--sw", NOTHING, ALWAYS},
    {"--stepwise", NOTHING, ALWAYS},
    {"--sw-skip", NOTHING, ALWAYS},
    {"--stepwise-skip", NOTHING, ALWAYS},
    {"--reruns", VALUE, ALWAYS},
    {"--reruns-delay", VALUE, ALWAYS},
    {"-k", VALUE, CHOSEN},
    {"-m", VALUE, CHOSEN},
    {"--deselect", VALUE, CHOSEN},
    {"--ignore", VALUE, CHOSEN},
    {"--ignore-glob", VALUE, CHOSEN},
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
static size_t leave_out(char *const *at, bool chosen)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        const struct left_out *o = &left_out[i];
        size_t n = option_in(*at, o->name);
        if (n == 0 || (o->goes == CHOSEN && !chosen))
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

void session_forward(const struct argv *args, bool chosen, struct argv *out)
{
    for (size_t i = 0; i < args->n;) {
        char *const *at = &args->at[i];
        size_t gone = plugin(at);
        if (!gone && letters(*at, out))
            gone = 1;
        if (!gone)
            gone = leave_out(at, chosen);
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
