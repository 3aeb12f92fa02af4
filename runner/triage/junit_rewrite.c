#include "triage/junit_rewrite.h"

#include "base/utf8.h"
#include "triage/gate.h"
#include "triage/headline.h"
#include "triage/junit.h"
#include "triage/xml_edit.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

#define SUITES_MOST 64 /* as deep as junit_read() lets anything be nested */

struct named {
    char *name;
    const struct failure *f;
};

struct suite {
    size_t at, length; /* of its start tag */
    struct fewer fewer;
};

struct rewriter {
    XML_Parser parser;
    const char *text;
    struct edits edits;
    struct named *named; /* sorted by name */
    size_t n;
    bool ascii; /* the document is in another encoding than UTF-8 */
    struct suite suite[SUITES_MOST];
    size_t suites;
    bool in_case;
    struct text name;           /* of the test that is read */
    const struct failure *open; /* whose element is read, NULL: none that concerns us */
    bool inside, error;         /* of <failure> or <error>, the latter */
};

/* As pytest replaces what it takes for unfit; versions differ in two things, which are replaced in
 * what they write, too. */
static void add_name(const char *s, struct text *out)
{
    size_t left = strlen(s);
    for (size_t n; left > 0; s += n, left -= n) {
        uint32_t point = (unsigned char)*s;
        n = utf8_next(s, left, &point);
        bool kept = n && (point >= 0x20 || point == '\t' || point == '\n' || point == '\r') &&
                    point != 0x7f && point < 0xfffe; /* what is beyond: before pytest 8 */
        n = n ? n : 1;
        if (kept)
            text_addn(out, s, n);
        else
            text_addf(out, point <= 0xff ? "#x%02X" : "#x%04X", (unsigned)point);
    }
}

/* "a/b.py::TestX::test[p/q]": what is in brackets is none of the path. */
void junit_name(const char *nodeid, struct text *out)
{
    const char *bracket = strchr(nodeid, '['), *last = NULL;
    size_t n = bracket ? (size_t)(bracket - nodeid) : strlen(nodeid);
    own_text struct text path = {0};
    text_addn(&path, nodeid, n);
    const char *s = text_str(&path), *colons = strstr(s, "::");
    size_t file = colons ? (size_t)(colons - s) : path.len;
    size_t stem = file > 3 && strncmp(s + file - 3, ".py", 3) == 0 ? file - 3 : file;
    own_text struct text words = {0};
    for (size_t i = 0; i < stem; i++)
        text_addc(&words, s[i] == '/' ? '.' : s[i]);
    for (const char *c = colons; c; c = strstr(c + 2, "::"))
        last = c;
    if (!last) { /* of a collector */
        text_addc(out, '\n');
        add_name(text_str(&words), out);
    } else {
        for (const char *c = colons; c < last; c = strstr(c + 2, "::")) {
            const char *next = strstr(c + 2, "::");
            text_addc(&words, '.');
            text_addn(&words, c + 2, (size_t)(next - c - 2));
        }
        text_addf(out, "%s\n", text_str(&words));
        add_name(last + 2, out);
    }
    if (bracket)
        add_name(bracket, out);
}

static int by_name(const void *a, const void *b)
{
    const struct named *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    return order ? order : (p->f > q->f) - (p->f < q->f); /* elements of one array */
}

static void name_all(struct rewriter *r, const struct failures *f)
{
    r->named = mem_or_die((f->n + 1) * sizeof *r->named);
    for (size_t i = 0; i < f->n; i++) {
        own_text struct text name = {0};
        junit_name(f->at[i].nodeid ? f->at[i].nodeid : "", &name);
        r->named[r->n++] = (struct named){text_take(&name), &f->at[i]};
    }
    qsort(r->named, r->n, sizeof *r->named, by_name);
}

static size_t first_named(const struct rewriter *r, const char *name)
{
    size_t low = 0, high = r->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(r->named[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool of_phase(const struct failure *f, const char *phase)
{
    return strcmp(f->phase ? f->phase : "call", phase) == 0;
}

/* Of those with the name and, if there are any, of the phase: one that is no flake, else a flake.
 */
static const struct failure *among(const struct rewriter *r, const char *name, const char *phase)
{
    const struct failure *best[2] = {NULL, NULL};
    for (size_t i = first_named(r, name); i < r->n && strcmp(r->named[i].name, name) == 0; i++) {
        const struct failure *f = r->named[i].f, **of = &best[!of_phase(f, phase)];
        if (!*of || (failure_is_flake(*of) && !failure_is_flake(f)))
            *of = f;
    }
    return best[0] ? best[0] : best[1];
}

/* --junit-prefix puts words before the class. */
static const struct failure *failure_of(const struct rewriter *r, const char *phase)
{
    const char *name = text_str(&r->name);
    for (;;) {
        const struct failure *f = among(r, name, phase);
        const char *dot = strchr(name, '.'), *end = strchr(name, '\n');
        if (f || !dot || !end || dot > end)
            return f;
        name = dot + 1;
    }
}

static const char *attribute(const char **of, const char *name)
{
    for (; *of; of += 2)
        if (strcmp(of[0], name) == 0)
            return of[1];
    return NULL;
}

static void grounds(const struct rewriter *r, const struct failure *f, struct text *out)
{
    own_text struct text t = {0};
    failure_grounds(f, &t);
    if (f->rerun.command)
        text_addf(&t, "%sFails every time: %s", t.len ? "\n" : "", f->rerun.command);
    if (!t.len)
        return;
    text_add(out, "<system-out>");
    xml_escape(text_str(&t), (struct xml_form){r->ascii, false}, out);
    text_add(out, "</system-out>");
}

static void add_attribute(const struct rewriter *r, const char *name, const char *value,
                          struct text *out)
{
    text_addf(out, " %s=\"", name);
    xml_escape(value, (struct xml_form){r->ascii, true}, out);
    text_addc(out, '"');
}

static void close_flake(const struct rewriter *r, struct text *out)
{
    text_add(out, "</stackTrace>");
    grounds(r, r->open, out);
    text_addf(out, "</flaky%s>", r->error ? "Error" : "Failure");
}

static void open_flake(struct rewriter *r, size_t at, size_t n, bool typed)
{
    own_text struct text t = {0};
    text_addf(&t, "<flaky%s", r->error ? "Error" : "Failure");
    tag_attributes(r->text + at, n, &t);
    if (!typed) /* Surefire's schema wants one */
        add_attribute(r, "type", r->open->exc_type ? r->open->exc_type : "failure", &t);
    text_add(&t, "><stackTrace>");
    if (tag_is_empty(r->text + at, n))
        close_flake(r, &t);
    edits_add(&r->edits, at, n, text_str(&t));
    for (size_t i = 0; i < r->suites; i++) {
        r->suite[i].fewer.failures += !r->error;
        r->suite[i].fewer.errors += r->error;
    }
}

static void rerun_kind(const struct rewriter *r, const struct rerun_kind *k, struct text *out)
{
    const struct rerun *of = &r->open->rerun;
    const char *word = r->error ? "Error" : "Failure", *type = k->type ? k->type : "failure";
    own_text struct text trace = {0};
    text_addf(&trace, "%s%s%s", type, k->message ? ": " : "", k->message ? k->message : "");
    if (k->site)
        text_addf(&trace, "\nat %s", k->site);
    text_addf(&trace, "\n%u of %u reruns", k->count, of->runs > k->count ? of->runs : k->count);
    text_addf(out, "<rerun%s", word);
    add_attribute(r, "message", k->message ? k->message : "", out);
    add_attribute(r, "type", type, out);
    text_add(out, "><stackTrace>");
    xml_escape(text_str(&trace), (struct xml_form){r->ascii, false}, out);
    text_add(out, "</stackTrace>");
    grounds(r, r->open, out);
    text_addf(out, "</rerun%s>", word);
}

/* What follows the element that ends at `end`. */
static void add_reruns(struct rewriter *r, size_t end)
{
    own_text struct text t = {0};
    const struct rerun *of = &r->open->rerun;
    for (size_t i = 0; i < of->kinds; i++)
        rerun_kind(r, &of->kind[i], &t);
    if (t.len)
        edits_add(&r->edits, end, 0, text_str(&t));
}

static void begin_failure(struct rewriter *r, size_t at, size_t n, const char **of)
{
    const char *message = attribute(of, "message");
    r->inside = true;
    r->open = failure_of(r, junit_phase(r->error, message ? message : ""));
    if (r->open && failure_is_flake(r->open))
        open_flake(r, at, n, attribute(of, "type") != NULL);
}

static void begin_suite(struct rewriter *r, size_t at, size_t n)
{
    if (r->suites < SUITES_MOST)
        r->suite[r->suites] = (struct suite){.at = at, .length = n};
    r->suites++;
}

static void end_suite(struct rewriter *r)
{
    own_text struct text t = {0};
    if (--r->suites >= SUITES_MOST)
        return;
    const struct suite *s = &r->suite[r->suites];
    if (!s->fewer.failures && !s->fewer.errors)
        return;
    tag_count_down(r->text + s->at, s->length, &s->fewer, &t);
    edits_add(&r->edits, s->at, s->length, text_str(&t));
}

static void begin_case(struct rewriter *r, const char **of)
{
    const char *class = attribute(of, "classname"), *name = attribute(of, "name");
    r->in_case = true;
    text_clear(&r->name);
    text_addf(&r->name, "%s\n", class ? class : "");
    add_name(name ? name : "", &r->name);
}

static bool is_suite(const char *name)
{
    return strcmp(name, "testsuites") == 0 || strcmp(name, "testsuite") == 0;
}

static bool is_failure(const char *name)
{
    return strcmp(name, "failure") == 0 || strcmp(name, "error") == 0;
}

static void XMLCALL begin_element(void *ctx, const char *name, const char **of)
{
    struct rewriter *r = ctx;
    size_t at = (size_t)XML_GetCurrentByteIndex(r->parser);
    size_t n = (size_t)XML_GetCurrentByteCount(r->parser);
    if (is_suite(name)) {
        begin_suite(r, at, n);
    } else if (strcmp(name, "testcase") == 0) {
        begin_case(r, of);
    } else if (r->in_case && !r->inside && is_failure(name)) {
        r->error = *name == 'e';
        begin_failure(r, at, n, of);
    }
}

static void end_failure(struct rewriter *r, size_t at, size_t n)
{
    bool empty = n == 0; /* of <failure/> the start tag was all */
    if (r->open && failure_is_flake(r->open) && !empty) {
        own_text struct text t = {0};
        close_flake(r, &t);
        edits_add(&r->edits, at, n, text_str(&t));
    } else if (r->open && !failure_is_flake(r->open) && r->open->looked_into) {
        add_reruns(r, at + n);
    }
    r->inside = false;
    r->open = NULL;
}

static void XMLCALL end_element(void *ctx, const char *name)
{
    struct rewriter *r = ctx;
    size_t at = (size_t)XML_GetCurrentByteIndex(r->parser);
    size_t n = (size_t)XML_GetCurrentByteCount(r->parser);
    if (is_suite(name))
        end_suite(r);
    else if (strcmp(name, "testcase") == 0)
        r->in_case = false;
    else if (r->inside && is_failure(name) && (*name == 'e') == r->error)
        end_failure(r, at, n);
}

static void XMLCALL take_encoding(void *ctx, const char *version, const char *encoding,
                                  int standalone)
{
    struct rewriter *r = ctx;
    (void)version;
    (void)standalone;
    r->ascii = encoding && strcasecmp(encoding, "utf-8") != 0;
}

static bool holds_ascii(const struct text *xml)
{
    const char *s = text_str(xml);
    return !text_starts(s, "\xfe\xff") && !text_starts(s, "\xff\xfe") && strlen(s) == xml->len;
}

static int check(const struct text *xml, const char *what, struct err *e)
{
    own_failures struct failures ignored = {0};
    if (junit_read(text_str(xml), xml->len, what, &ignored, e) < 0)
        return -1;
    if (holds_ascii(xml))
        return 0;
    err_set(e, ERR_STALE, "%s: it is written in UTF-16", what);
    return err_hint(e, "reports in UTF-8 can be rewritten");
}

int junit_rewrite(const struct text *xml, const char *what, const struct failures *f,
                  struct text *out, struct err *e)
{
    struct rewriter r = {.text = text_str(xml)};
    if (check(xml, what, e) < 0)
        return -1;
    r.parser = XML_ParserCreate(NULL);
    if (!r.parser)
        return err_set(e, ERR_SYSTEM, "no memory to read %s", what);
    name_all(&r, f);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin_element, end_element);
    XML_SetXmlDeclHandler(r.parser, take_encoding);
    bool good = XML_Parse(r.parser, r.text, (int)xml->len, 1) == XML_STATUS_OK;
    if (good)
        edits_apply(&r.edits, r.text, xml->len, out);
    XML_ParserFree(r.parser);
    for (size_t i = 0; i < r.n; i++)
        free(r.named[i].name);
    free(r.named);
    text_done(&r.name);
    edits_done(&r.edits);
    return good ? 0 : err_set(e, ERR_STALE, "%s: it was read once and not again", what);
}
