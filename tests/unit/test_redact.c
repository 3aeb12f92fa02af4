/* What redaction takes out, what it leaves, and how long it takes whatever it is given. */
#include "../check.h"

#include "base/argv.h"
#include "base/clock.h"
#include "base/fdio.h"
#include "triage/redact.h"

static struct redactor *new_redactor(char *const *env)
{
    struct redactor *r = NULL;
    struct err e = {0};
    if (redactor_new(env, &r, &e) < 0)
        CHECK_SAY("%s", e.what);
    return r;
}

static void becomes(struct redactor *r, const char *s, const char *want)
{
    own_text struct text out = {0};
    redact_text(r, s, &out);
    CHECK_STR(text_str(&out), want);
}

/* Calls `one` for each line that is no comment, with \n turned into line breaks. */
static size_t each_line(const char *name, void (*one)(struct redactor *, char *))
{
    own_text struct text path = {0}, all = {0};
    struct err e = {0};
    size_t n = 0;
    own_redactor struct redactor *r = new_redactor(NULL);
    text_addf(&path, FR_TEST_DATA "/triage/%s", name);
    CHECK_EQ(fdio_read_file(text_str(&path), 1 << 20, &all, &e), 0);
    for (char *save, *s = strtok_r(all.at, "\n", &save); s; s = strtok_r(NULL, "\n", &save)) {
        if (*s == '#')
            continue;
        for (char *c; (c = strstr(s, "\\n"));) {
            *c = '\n';
            memmove(c + 1, c + 2, strlen(c + 2) + 1);
        }
        one(r, s);
        n++;
    }
    return n;
}

static void is_redacted(struct redactor *r, char *line)
{
    own_text struct text out = {0}, again = {0};
    char *secret = strchr(line, '\t');
    if (!secret) {
        CHECK_SAY("no secret is named: %s", line);
        return;
    }
    *secret++ = 0;
    redact_text(r, line, &out);
    if (!strstr(line, secret) || strstr(text_str(&out), secret) ||
        !strstr(text_str(&out), REDACTED))
        CHECK_SAY("%s became %s", line, text_str(&out));
    redact_text(r, text_str(&out), &again);
    CHECK_STR(text_str(&again), text_str(&out)); /* a second time changes nothing */
}

static void is_kept(struct redactor *r, char *line)
{
    becomes(r, line, line);
}

TEST(secrets_go)
{
    CHECK(each_line("must_redact.txt", is_redacted) > 80);
}

TEST(ordinary_text_stays)
{
    CHECK(each_line("must_keep.txt", is_kept) > 50);
}

TEST(what_stands_around_a_secret_stays)
{
    own_redactor struct redactor *r = new_redactor(NULL);
    becomes(r, "https://user:p@ss@host/x", "https://user:[REDACTED]@host/x");
    becomes(r, "{\"api_key\": \"abcd\", \"n\": 1}", "{\"api_key\": \"[REDACTED]\", \"n\": 1}");
    becomes(r, "Authorization: Bearer abc.def", "Authorization: Bearer [REDACTED]");
    becomes(r, "a=1&sig=xyz&b=2", "a=1&sig=[REDACTED]&b=2");
    becomes(r, "password=one password=two", "password=[REDACTED] password=[REDACTED]");
    becomes(r, "'a\\nsk-live-abcdef1'", "'a\\n[REDACTED]'"); /* a text shown escaped */
    becomes(r, "'\\neyJhbGciOiJ9.eyJzdWIi.dozjgN'", "'\\n[REDACTED]'");
    becomes(r, "'\\nCookie: a=b1'", "'\\nCookie: [REDACTED]'");
    becomes(r, "", "");
    becomes(NULL, "password=one", "password=one");
}

TEST(values_of_the_environment_go)
{
    own_argv struct argv env = {0};
    static const char *const set[] = {
        "MY_TOKEN=abcd", "OTHER=zebra77x", "CONDA_ENV=py311-test", "SHORT_SECRET=abc",
        "SOME_DIR=/opt/data7",
        "A_WORD=correcthorse", "PORT_LIST=12345678", "GIT_SHA=4b825dc642cb6",
        "PATH=/usr/bin:/x9", "TERM=xterm-256color", "LONGER_TOKEN=abcdefgh", "SMALL=ab12",
        "PYTEST_X=value-123", "IMAGE=registry/img:12", "NOTHING=", "no equals sign",
        "DB_PASSWORD=abcd efgh", "FLAG_SECRET=true"};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++)
        argv_add(&env, set[i]);
    own_redactor struct redactor *r = new_redactor(env.at);
    becomes(r, "x abcd y", "x [REDACTED] y");
    becomes(r, "x abcdefgh y", "x [REDACTED] y"); /* the longer one first */
    becomes(r, "x abcd efgh y", "x [REDACTED] y");
    becomes(r, "zebra77x", "[REDACTED]");
    becomes(r, "/envs/py311-test/lib", "/envs/py311-test/lib");
    for (const char *const *s =
             (const char *const[]){"abc", "/opt/data7", "correcthorse", "12345678",
                                   "4b825dc642cb6", "xterm-256color", "ab12", "value-123",
                                   "registry/img:12", "true", NULL};
         *s; s++)
        becomes(r, *s, *s);
}

TEST(only_parameters_of_a_node_id_are_looked_through)
{
    own_redactor struct redactor *r = new_redactor(NULL);
    own_text struct text a = {0}, b = {0}, c = {0}, d = {0};
    redact_nodeid(r, "t.py::test_login[sk-live-SECRETTOKEN]", &a);
    CHECK_STR(text_str(&a), "t.py::test_login[[REDACTED]]");
    redact_nodeid(r, "sk-live-SECRETTOKEN/t.py::test", &b);
    CHECK_STR(text_str(&b), "sk-live-SECRETTOKEN/t.py::test");
    redact_nodeid(r, "t.py::test[1-a]", &c);
    CHECK_STR(text_str(&c), "t.py::test[1-a]");
    redact_nodeid(NULL, "t.py::test[sk-live-SECRETTOKEN]", &d);
    CHECK_STR(text_str(&d), "t.py::test[sk-live-SECRETTOKEN]");
}

static void repeat(const char *s, size_t bytes, struct text *out)
{
    while (out->len < bytes)
        text_add(out, s);
}

static double seconds(struct redactor *r, const char *s)
{
    own_text struct text out = {0};
    int64_t began = clock_mono_ns();
    redact_text(r, s, &out);
    return (double)(clock_mono_ns() - began) / (double)NS_PER_S;
}

/* Text made to be slow for each pattern: a megabyte of it takes no more than a few times what
 * a quarter takes, and never long. */
TEST(a_megabyte_takes_time_in_proportion)
{
    static const char *const evil[] = {
        "a", "a-", "password", "password ", "password=\"", "password=\"\\\\", "://a:", "://a:b@c",
        "://", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n-", "eyJ", "eyJaaaaa.",
        "Authorization: ", "bearer ", "bearer aaaaaa.", "cookie: a", "cookie: a=", "&sig=", "?a=",
        "aB3", "aB3/", "sk-", "AKIA", "ghp_aaaaaaaaaaaaaaa ", "token: '", "auth=('a','", " ", "\n",
        "=", "\\", "'", "--token ", "xoxb-", "123456789:AA", "SG.aaaaaaaaaaaaaaaa.", "[", "\xff"};
    own_redactor struct redactor *r = new_redactor(NULL);
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        own_text struct text quarter = {0}, all = {0};
        repeat(evil[i], 1 << 18, &quarter);
        repeat(evil[i], 1 << 20, &all);
        double one = seconds(r, text_str(&quarter)), four = seconds(r, text_str(&all));
        if (four > 3 || (four > .2 && four > 10 * one))
            CHECK_SAY("\"%s\": %.3f s for a quarter, %.3f s for all", evil[i], one, four);
    }
}

/* Closed, not open: what could not be looked through is not told. */
TEST(where_matching_gives_up_the_rest_is_taken_out)
{
    own_redactor struct redactor *r = new_redactor(NULL);
    own_text struct text out = {0};
    redactor_limit(r, 1);
    redact_text(r, "a perfectly ordinary sentence, token of which is password: x", &out);
    CHECK(strstr(text_str(&out), REDACTED));
    CHECK(!strstr(text_str(&out), "password: x"));
}
