#include "triage/junit.h"

#include "base/fdio.h"
#include "base/own.h"

#include <ctype.h>
#include <expat.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MOST 64
#define TEXT_MOST  (1 << 20) /* bytes of one element; of more the end is kept */
#define CHUNK      (1 << 16) /* bytes for expat at a time */

struct suite {
    char *name;
    unsigned depth;
    size_t said;    /* failures and errors, as it counts them */
    size_t from;    /* those that were there before it */
    size_t missing; /* in the suites within */
};

enum part { PART_NONE, PART_FAILURE, PART_OUT, PART_ERR };

struct reader {
    XML_Parser parser;
    struct failures *to;
    unsigned depth;
    bool suites; /* the outermost element is one of theirs */
    struct suite suite[DEPTH_MOST];
    size_t open, missing;
    bool in_case;
    size_t first;   /* failures that were there before this test */
    enum part part; /* where text goes */
    struct text text, out, err;
    char *file, *classname, *name;
    double seconds;
    const char *refused; /* why reading was stopped */
};

static void refuse(struct reader *r, const char *why)
{
    r->refused = why;
    (void)XML_StopParser(r->parser, XML_FALSE);
}

static const char *attribute(const char **of, const char *name)
{
    for (; *of; of += 2)
        if (strcmp(of[0], name) == 0)
            return of[1];
    return NULL;
}

static char *copy(const char *s)
{
    return s ? str_or_die(s) : NULL;
}

static void forget_case(struct reader *r)
{
    free(r->file);
    free(r->classname);
    free(r->name);
    r->file = r->classname = r->name = NULL;
    text_clear(&r->out);
    text_clear(&r->err);
}

/* "FooError: words" or "pkg.FooError": the type, without its module. */
static char *type_of(const char *message)
{
    size_t n = 0, from = 0;
    while (isalnum((unsigned char)message[n]) || message[n] == '_' || message[n] == '.') {
        if (message[n] == '.')
            from = n + 1;
        n++;
    }
    bool ends = message[n] == ':' || message[n] == 0 || message[n] == '\n';
    if (!ends || n == from || !isupper((unsigned char)message[from]))
        return NULL;
    own_text struct text t = {0};
    text_addn(&t, message + from, n - from);
    return text_take(&t);
}

/* pytest's tracebacks end with "path:line: Type". */
static char *type_at_end(const char *traceback)
{
    size_t n = strlen(traceback), from;
    while (n > 0 && isspace((unsigned char)traceback[n - 1]))
        n--;
    for (from = n; from > 0 && traceback[from - 1] != ' ' && traceback[from - 1] != '\n';)
        from--;
    if (from < 2 || traceback[from - 2] != ':')
        return NULL;
    own_text struct text last = {0};
    text_addn(&last, traceback + from, n - from);
    return type_of(text_str(&last));
}

static const char *words_of(const char *message)
{
    const char *colon = strstr(message, ": ");
    return colon ? colon + 2 : message;
}

const char *junit_phase(bool error, const char *message)
{
    if (!error)
        return "call";
    if (text_starts(message, "failed on teardown"))
        return "teardown";
    return text_starts(message, "collection failure") ? "collect" : "setup";
}

/* pytest puts `failed on setup with "…"` around the message. */
static void unwrap(const char *message, struct text *out)
{
    const char *open = strstr(message, " with \"");
    bool wrapped = open && text_starts(message, "failed on ") && text_ends(message, "\"");
    if (!wrapped) {
        text_add(out, message);
        return;
    }
    text_add(out, open + 7);
    text_cut(out, out->len - 1);
}

static void say(struct failure *f, const char *message, const char *type)
{
    f->exc_type = type_of(message);
    f->exc_message = str_or_die(f->exc_type ? words_of(message) : message);
    if (!f->exc_type)
        f->exc_type = type ? type_of(type) : NULL;
}

/* Without an attribute for the message, the first line of the text is one. */
static void say_first_line(struct failure *f)
{
    own_text struct text line = {0};
    const char *s = f->traceback;
    while (isspace((unsigned char)*s))
        s++;
    size_t n = strcspn(s, "\r\n");
    while (n > 0 && isspace((unsigned char)s[n - 1]))
        n--;
    if (n == 0)
        return;
    text_addn(&line, s, n);
    own_mem char *alone = strchr(text_str(&line), ':') ? NULL : type_of(text_str(&line));
    if (alone && f->exc_type) /* it says no more than the type does */
        return;
    own_mem char *type = f->exc_type;
    free(f->exc_message);
    say(f, text_str(&line), type);
}

static void begin_failure(struct reader *r, bool error, const char **of)
{
    own_text struct text message = {0};
    const char *told = attribute(of, "message"), *type = attribute(of, "type");
    struct failure *f = failures_add(r->to);
    unwrap(told ? told : "", &message);
    f->phase = str_or_die(junit_phase(error, told ? told : ""));
    f->outcome = str_or_die("failed");
    say(f, text_str(&message), type);
    f->duration = r->seconds;
    text_clear(&r->text);
    r->part = PART_FAILURE;
}

static void XMLCALL take_text(void *ctx, const char *s, int n)
{
    struct reader *r = ctx;
    struct text *to[] = {NULL, &r->text, &r->out, &r->err};
    struct text *t = to[r->part];
    if (!t)
        return;
    text_addn(t, s, (size_t)n);
    if (t->len < 2 * TEXT_MOST)
        return;
    own_text struct text end = {0};
    text_addn(&end, t->at + t->len - TEXT_MOST, TEXT_MOST);
    text_clear(t);
    text_addn(t, text_str(&end), end.len);
}

/* The file of a dotted name: the longest beginning of it that is one here. The rest are classes. */
static bool file_of(const char *dotted, struct text *out)
{
    own_mem char *path = str_or_die(dotted);
    for (char *s = path; *s; s++)
        if (*s == '.')
            *s = '/';
    for (size_t n = strlen(path); n > 0;) {
        own_text struct text file = {0};
        text_addn(&file, path, n);
        text_add(&file, ".py");
        if (fdio_is_file(text_str(&file))) {
            text_add(out, text_str(&file));
            for (const char *s = dotted + n; *s; s++)
                text_add(out, *s == '.' ? "::" : (char[2]){*s, 0});
            return true;
        }
        while (n > 0 && path[n - 1] != '/')
            n--;
        n -= n > 0;
    }
    return false;
}

/* Where the class begins within "tests.test_shop.TestCart", if that names the file. */
static const char *class_in(const char *classname, const char *file)
{
    const char *c = classname, *f = file;
    while (*f && strcmp(f, ".py") != 0 && (*c == *f || (*c == '.' && *f == '/'))) {
        c++;
        f++;
    }
    return strcmp(f, ".py") == 0 && *c == '.' ? c + 1 : NULL;
}

static char *nodeid_of(const struct reader *r, const char *phase)
{
    own_text struct text id = {0};
    const char *name = r->name ? r->name : "", *classname = r->classname ? r->classname : "";
    bool collecting = strcmp(phase, "collect") == 0;
    if (r->file) {
        const char *class = class_in(classname, r->file);
        text_add(&id, r->file);
        for (const char *s = class ? class - 1 : ""; *s; s++)
            text_add(&id, *s == '.' ? "::" : (char[2]){*s, 0});
    } else if (!file_of(*classname ? classname : name, &id)) {
        text_add(&id, classname);
        collecting = false;
    }
    if (!collecting && *name)
        text_addf(&id, "%s%s", id.len ? "::" : "", name);
    return str_or_die(text_str(&id));
}

static void end_case(struct reader *r)
{
    for (size_t i = r->first; i < r->to->n; i++) {
        struct failure *f = &r->to->at[i];
        f->nodeid = nodeid_of(r, f->phase);
        f->out = str_or_die(text_str(&r->out));
        f->err = str_or_die(text_str(&r->err));
        argv_add(&f->select, f->nodeid);
    }
    r->in_case = false;
    forget_case(r);
}

static void begin_case(struct reader *r, const char **of)
{
    const char *seconds = attribute(of, "time");
    if (r->in_case) /* one within another: not of any runner's making */
        end_case(r);
    forget_case(r);
    r->in_case = true;
    r->first = r->to->n;
    r->file = copy(attribute(of, "file"));
    r->classname = copy(attribute(of, "classname"));
    r->name = copy(attribute(of, "name"));
    r->seconds = seconds ? strtod(seconds, NULL) : 0;
}

static size_t number(const char *s)
{
    return s && isdigit((unsigned char)*s) ? strtoul(s, NULL, 10) : 0;
}

static void begin_suite(struct reader *r, const char **of)
{
    r->suite[r->open++] =
        (struct suite){.name = copy(attribute(of, "name")),
                       .depth = r->depth,
                       .said = number(attribute(of, "failures")) + number(attribute(of, "errors")),
                       .from = r->to->n};
}

/* One that holds others counts theirs, too, or only its own: what is missing there is not missing
 * twice. */
static void end_suite(struct reader *r)
{
    struct suite *s = &r->suite[--r->open];
    size_t found = r->to->n - s->from, missing = s->said > found ? s->said - found : 0;
    *(r->open ? &s[-1].missing : &r->missing) += missing > s->missing ? missing : s->missing;
    free(s->name);
}

/* Of the suite itself: what was to be set up for all of its tests, say. */
static bool is_of_suite(const struct reader *r)
{
    return !r->in_case && r->part == PART_NONE && r->open > 0 &&
           r->suite[r->open - 1].depth + 1 == r->depth;
}

static void begin_suite_failure(struct reader *r, bool error, const char **of)
{
    const char *name = r->suite[r->open - 1].name;
    begin_failure(r, error, of);
    struct failure *f = &r->to->at[r->to->n - 1];
    free(f->phase);
    f->duration = 0;
    f->phase = str_or_die("collect"); /* its tests did not run, or not as they should */
    f->nodeid = str_or_die(name ? name : "");
    f->out = str_or_die("");
    f->err = str_or_die("");
    argv_add(&f->select, f->nodeid);
}

static bool is_failure(const char *name)
{
    return strcmp(name, "failure") == 0 || strcmp(name, "error") == 0;
}

static bool is_suite(const char *name)
{
    return strcmp(name, "testsuites") == 0 || strcmp(name, "testsuite") == 0;
}

static void XMLCALL begin_element(void *ctx, const char *name, const char **of)
{
    struct reader *r = ctx;
    if (++r->depth > DEPTH_MOST) {
        refuse(r, "it is nested too deep");
        return;
    }
    if (r->depth == 1)
        r->suites = is_suite(name);
    if (is_suite(name))
        begin_suite(r, of);
    else if (strcmp(name, "testcase") == 0)
        begin_case(r, of);
    else if (r->in_case && r->part == PART_NONE && is_failure(name))
        begin_failure(r, *name == 'e', of);
    else if (is_failure(name) && is_of_suite(r))
        begin_suite_failure(r, *name == 'e', of);
    else if (r->in_case && strcmp(name, "system-out") == 0)
        r->part = PART_OUT;
    else if (r->in_case && strcmp(name, "system-err") == 0)
        r->part = PART_ERR;
}

static void XMLCALL end_element(void *ctx, const char *name)
{
    struct reader *r = ctx;
    r->depth--;
    if (is_suite(name))
        end_suite(r);
    if (r->in_case && strcmp(name, "testcase") == 0) {
        end_case(r);
    } else if (r->part == PART_FAILURE && is_failure(name)) {
        struct failure *f = &r->to->at[r->to->n - 1];
        free(f->traceback);
        f->traceback = str_or_die(text_str(&r->text));
        if (!*f->exc_message)
            say_first_line(f);
        if (!f->exc_type)
            f->exc_type = type_at_end(f->traceback);
    } else if (!(strcmp(name, "system-out") == 0 || strcmp(name, "system-err") == 0)) {
        return; /* an element within one of them */
    }
    r->part = PART_NONE;
}

static void XMLCALL refuse_doctype(void *ctx, const char *name, const char *system,
                                   const char *public, int has_subset)
{
    (void)name;
    (void)system;
    (void)public;
    (void)has_subset;
    refuse(ctx, "it declares a document type, which no such report needs");
}

static int stale(const struct reader *r, const char *what, struct err *e)
{
    enum XML_Error code = XML_GetErrorCode(r->parser);
    if (r->depth == 0 && !r->suites && code == XML_ERROR_NO_ELEMENTS)
        return err_set(e, ERR_STALE, "%s: it is empty", what);
    if (r->refused)
        return err_set(e, ERR_STALE, "%s: %s", what, r->refused);
    if (code == XML_ERROR_NONE)
        return err_set(e, ERR_STALE, "%s: this is XML, but no report of JUnit's form", what);
    return err_set(e, ERR_STALE, "%s:%lu: %s", what,
                   (unsigned long)XML_GetCurrentLineNumber(r->parser), XML_ErrorString(code));
}

static bool parse(struct reader *r, const char *text, size_t n)
{
    for (size_t at = 0; at == 0 || at < n; at += CHUNK) {
        size_t more = n - at < CHUNK ? n - at : CHUNK;
        if (XML_Parse(r->parser, text + at, (int)more, at + more == n) != XML_STATUS_OK)
            return false;
    }
    return true;
}

int junit_read_counted(const char *text, size_t n, const char *what, struct failures *ret,
                       struct failed_counts *ret_counts, struct err *e)
{
    struct failures found = {0};
    struct reader r = {.parser = XML_ParserCreate(NULL), .to = &found};
    if (!r.parser)
        return err_set(e, ERR_SYSTEM, "no memory to read %s", what);
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, begin_element, end_element);
    XML_SetCharacterDataHandler(r.parser, take_text);
    XML_SetStartDoctypeDeclHandler(r.parser, refuse_doctype);
    int bad = parse(&r, text, n) && r.suites ? 0 : stale(&r, what, e);
    XML_ParserFree(r.parser);
    forget_case(&r);
    while (r.open > 0)
        free(r.suite[--r.open].name);
    text_done(&r.text);
    text_done(&r.out);
    text_done(&r.err);
    if (bad < 0) {
        failures_done(&found);
        return -1;
    }
    failures_done(ret);
    *ret = found;
    *ret_counts = (struct failed_counts){.others = r.missing};
    return 0;
}

int junit_read(const char *text, size_t n, const char *what, struct failures *ret, struct err *e)
{
    struct failed_counts ignored;
    return junit_read_counted(text, n, what, ret, &ignored, e);
}
