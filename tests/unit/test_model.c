/* Settings, targets, blobs and the small tools below them. */
#include "check.h"

#include "base/argv.h"
#include "base/own.h"
#include "model/blob.h"
#include "model/target.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void quoted_is(const char *s, const char *want)
{
    own_text struct text t = {0};
    text_add_quoted(&t, s);
    CHECK_STR(text_str(&t), want);
}

TEST(quoting_is_bare_then_double_then_single)
{
    quoted_is("tests/test_a.py::test_b", "tests/test_a.py::test_b");
    quoted_is("test_a.py::test[x y]", "\"test_a.py::test[x y]\"");
    quoted_is("a$b", "'a$b'");
    quoted_is("it's `odd`", "'it'\\''s `odd`'");
    quoted_is("", "\"\"");
    quoted_is("größe – x", "\"größe – x\"");
    quoted_is("a\nb", "\"a\nb\"");
    quoted_is("~/x", "\"~/x\"");
    quoted_is("*", "\"*\"");
}

TEST(quoted_words_survive_a_shell)
{
    static const char *const words[] = {"a b", "$HOME", "`x`", "\\", "'", "\"", "!x", "a\\nb",
                                        "[!a]*?", "~", "#", "ü::[1-2]", "-x", "$(id)", "a'b\"c$d"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        own_text struct text line = {0};
        text_add(&line, "printf %s ");
        text_add_quoted(&line, words[i]);
        FILE *p = popen(text_str(&line), "r");
        char got[64] = "";
        got[fread(got, 1, sizeof got - 1, p)] = 0;
        pclose(p);
        CHECK_STR(got, words[i]);
    }
}

TEST(copies_are_cut_at_a_utf8_border)
{
    char buf[4];
    text_copy(buf, sizeof buf, "aüüü");
    CHECK_STR(buf, "aü");
    text_copy(buf, sizeof buf, "abc");
    CHECK_STR(buf, "abc");
    text_copy(buf, sizeof buf, "abcd");
    CHECK_STR(buf, "abc");
}

TEST(the_nearest_word_is_suggested)
{
    CHECK_EQ(text_distance("tiem", "time"), 1);
    CHECK_EQ(text_distance("hashsed", "hashseed"), 1);
    CHECK_EQ(text_distance("", "rng"), 3);
    CHECK_STR(axis_nearest("tmie"), "time");
    CHECK_STR(axis_nearest("rgn"), "rng");
    CHECK(axis_nearest("weather") == NULL);
}

TEST(an_environment_is_set_dropped_and_read)
{
    own_argv struct argv env = {0};
    argv_add(&env, "A=1");
    argv_add(&env, "AB=2");
    argv_env_set(&env, "A", "3");
    CHECK_STR(argv_env_get(&env, "A"), "3");
    CHECK_STR(argv_env_get(&env, "AB"), "2");
    argv_env_drop(&env, "A");
    CHECK(argv_env_get(&env, "A") == NULL);
    CHECK_EQ(env.n, 1);
    CHECK(env.at[1] == NULL);
}

TEST(a_setting_is_one_canonical_text)
{
    struct setting s, again;
    struct err e = {0};
    own_text struct text t = {0};
    CHECK_EQ(setting_parse("time=2024-02-29T23:59:59.5Z,rng=7,hashseed=2", &s, &e), 0);
    setting_text(&s, &t);
    CHECK_STR(text_str(&t), "hashseed=2,rng=7,time=2024-02-29T23:59:59.5Z");
    CHECK_EQ(setting_parse(text_str(&t), &again, &e), 0);
    CHECK(setting_same(&s, &again));
    setting_free(&again, FD_AXIS_RNG);
    CHECK(!setting_same(&s, &again));
}

static void refused(const char *text, const char *why)
{
    struct setting s;
    struct err e = {0};
    CHECK_EQ(setting_parse(text, &s, &e), -1);
    CHECK_STR(e.what, why);
}

TEST(a_setting_that_cannot_be_is_refused)
{
    refused("moon=1", "setting \"moon=1\": no axis is called \"moon\"");
    refused("rng", "setting \"rng\": \"rng\" is not axis=value");
    refused("rng=", "setting \"rng=\": \"rng=\" is not axis=value");
    refused("rng=1,rng=2", "setting \"rng=1,rng=2\": rng is given twice");
}

static void argument_is(const char *root, const char *cwd, const char *id, const char *want)
{
    own_target struct target t = {0};
    own_text struct text got = {0};
    t.rootdir = str_or_die(root);
    t.cwd = str_or_die(cwd);
    t.nodeid = str_or_die(id);
    target_argument(&t, &got);
    CHECK_STR(text_str(&got), want);
}

TEST(a_node_id_is_said_from_where_the_user_stands)
{
    argument_is("/p", "/p", "t/test_a.py::x", "t/test_a.py::x");
    argument_is("/p", "/p/t", "t/test_a.py::x", "test_a.py::x");
    argument_is("/p", "/p/src", "t/test_a.py::x", "/p/t/test_a.py::x");
    argument_is("/p/sub", "/p", "test_a.py::x[a/b]", "sub/test_a.py::x[a/b]");
    argument_is("/p", "/q", "test_a.py::x", "/p/test_a.py::x");
    argument_is("/p", "/pp", "test_a.py::x", "/p/test_a.py::x");
}

static struct blob sample(void)
{
    struct blob b = {.print = {.phase = "call", .type = "AssertionError", .site = "test_a.py:3"},
                     .nodeid = "test_a.py::test_x[ü :: \"$1\"]", .python = "3.11"};
    setting_hold(&b.setting, FD_AXIS_RNG, "28");
    setting_hold(&b.setting, FD_AXIS_TIME, "2028-02-29T12:00:00Z/at:3");
    return b;
}

TEST(a_blob_with_an_order_comes_back_as_it_went)
{
    own_blob struct blob b = sample();
    own_blob struct blob got = {0};
    struct err e = {0};
    own_text struct text word = {0};
    argv_add(&b.order, "test_b.py::test_first[a b]");
    argv_add(&b.order, "test_a.py::Test::test_second");
    blob_encode(&b, &word);
    CHECK_EQ(blob_decode(text_str(&word), &got, &e), 0);
    CHECK_EQ(got.order.n, 2);
    CHECK_STR(got.order.at[0], "test_b.py::test_first[a b]");
    CHECK_STR(got.order.at[1], "test_a.py::Test::test_second");
}

static void order_refused(const char *id, const char *why)
{
    own_blob struct blob b = sample();
    struct blob got;
    struct err e = {0};
    own_text struct text word = {0};
    argv_add(&b.order, "test_b.py::test_first");
    argv_add(&b.order, id);
    blob_encode(&b, &word);
    CHECK_EQ(blob_decode(text_str(&word), &got, &e), -1);
    CHECK_STR(e.what, why);
}

TEST(an_order_that_cannot_be_is_refused)
{
    const char *why = "this repro cannot be played: a test that it orders cannot be one";
    order_refused("", why);
    order_refused("--collect-only", why);
    order_refused(sample().nodeid, why); /* the test itself is not before itself */
}

static void selects(const char *argument, bool want)
{
    char folder[] = "/tmp/fr-model-XXXXXX";
    CHECK(mkdtemp(folder) != NULL);
    own_text struct text sub = {0}, file = {0};
    own_target struct target t = {.nodeid = str_or_die("t/test_a.py::Test::test_x[1]"),
                                  .rootdir = str_or_die(folder)};
    text_addf(&sub, "%s/t", folder);
    text_addf(&file, "%s/t/test_a.py", folder);
    CHECK_EQ(mkdir(text_str(&sub), 0700), 0);
    FILE *f = fopen(text_str(&file), "w");
    CHECK(f && fclose(f) == 0);
    t.cwd = str_or_die(text_str(&sub));
    CHECK_EQ(target_is_selected(&t, argument), want);
    unlink(text_str(&file));
    rmdir(text_str(&sub));
    rmdir(folder);
}

TEST(an_argument_selects_a_test_or_does_not)
{
    selects("test_a.py", true);
    selects(".", true);
    selects("../t/./test_a.py", true);
    selects("..", true);
    selects("/", true);
    selects("test_a.py::Test", true);
    selects("test_a.py::Test::test_x", true);
    selects("test_a.py::Test::test_x[1]", true);
    selects("test_a.py::Test::test_x[2]", false);
    selects("test_a.py::Test::test", false);
    selects("test_a.py::Tes", false);
    selects("test_b.py", false);
    selects("/tmp/nowhere", false);
}

TEST(a_blob_comes_back_as_it_went)
{
    struct blob b = sample(), got;
    struct err e = {0};
    own_text struct text word = {0};
    blob_encode(&b, &word);
    CHECK(text_starts(text_str(&word), "fd1:"));
    CHECK_EQ(text_str(&word)[4 + strspn(text_str(&word) + 4, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh"
                                                             "ijklmnopqrstuvwxyz0123456789-_")],
             0);
    CHECK_EQ(blob_decode(text_str(&word), &got, &e), 0);
    CHECK(setting_same(&b.setting, &got.setting));
    CHECK(fingerprint_same(&b.print, &got.print));
    CHECK_STR(got.nodeid, b.nodeid);
    CHECK_STR(got.python, "3.11");
}

static void blob_refused(const char *word, const char *why)
{
    struct blob b;
    struct err e = {0};
    CHECK_EQ(blob_decode(word, &b, &e), -1);
    CHECK_STR(e.what, why);
    CHECK(e.hint[0]);
}

TEST(a_damaged_blob_is_refused)
{
    blob_refused("hello", "\"hello\" is not a repro");
    blob_refused("fd1:", "this repro cannot be played: it is damaged");
    blob_refused("fd1:abc", "this repro cannot be played: it is damaged");
    blob_refused("fd1:a b", "this repro cannot be played: it is damaged");
    struct blob b = sample();
    own_text struct text word = {0};
    blob_encode(&b, &word);
    for (size_t cut = 5; cut < word.len; cut += 7) { /* any truncation */
        own_text struct text part = {0};
        struct err e = {0};
        struct blob got;
        text_addn(&part, word.at, cut);
        CHECK_EQ(blob_decode(text_str(&part), &got, &e), -1);
    }
    for (size_t i = 4; i < word.len; i++) { /* any one character changed */
        struct err e = {0};
        struct blob got;
        char had = word.at[i];
        word.at[i] = had == 'A' ? 'B' : 'A';
        if (blob_decode(text_str(&word), &got, &e) == 0) /* bits that pad the last byte */
            CHECK(setting_same(&b.setting, &got.setting));
        word.at[i] = had;
    }
}

/* Packed from JSON with Python's zlib and base64: what another hand could write. */
TEST(a_blob_that_says_more_or_other_than_it_may_is_refused)
{
#include "blobs.h"
    blob_refused(blob_of_a_peer,
                 "this repro was made by \"pytest-flakedoctor\", not by flaky-repro");
    blob_refused(blob_newer, "this repro cannot be played: it is of a newer version");
    blob_refused(blob_smuggled,
                 "this repro cannot be played: it holds a field this version does not know");
    blob_refused(blob_bad_sum, "this repro cannot be played: its checksum does not fit");
    blob_refused(blob_other_test, "this repro cannot be played: it was recorded for another test");
    blob_refused(blob_unknown_axis,
                 "this repro holds \"weather\", an axis this version does not know");
    blob_refused(blob_axis_newer, "this repro cannot be played: an axis in it is of a newer version");
    blob_refused(blob_axis_list, "this repro cannot be played: it lacks a field");
}
