/* The reports against tests/cli/golden, byte for byte but for what a machine decides (its platform,
 * our version) and, in JSON, blanks between tokens (json-c changed them once).
 *
 * FR_GOLDEN names the folder (default tests/cli/golden below the working directory);
 * FR_UPDATE_GOLDEN=1 rewrites it. */
#include "../check.h"
#include "../cli/report_cases.h"

#include "base/fdio.h"
#include "model/finding_json.h"
#include "report/columns.h"
#include "report/human.h"
#include "report/json.h"
#include "report/percent.h"

static const struct style plain = {0};

static void replace_all(struct text *t, const char *from, const char *to)
{
    own_text struct text old = *t;
    *t = (struct text){0};
    const char *rest = text_str(&old);
    for (const char *at = strstr(rest, from); at; at = strstr(rest, from)) {
        text_addn(t, rest, (size_t)(at - rest));
        text_add(t, to);
        rest = at + strlen(from);
    }
    text_add(t, rest);
}

static void without_blanks(const char *json, struct text *out)
{
    bool inside = false;
    for (; *json; json++) {
        if (*json == '"')
            inside = !inside;
        if (inside && *json == '\\')
            text_addc(out, *json++);
        if (inside || !strchr(" \n\t", *json))
            text_addc(out, *json);
    }
}

static void check_golden(const char *name, const char *suffix, const struct text *got)
{
    own_text struct text path = {0}, want = {0}, a = {0}, b = {0};
    const char *folder = getenv("FR_GOLDEN"), *update = getenv("FR_UPDATE_GOLDEN");
    struct err e = {0};
    text_addf(&path, "%s/%s%s", folder ? folder : "tests/cli/golden", name, suffix);
    if (update && *update) {
        CHECK_EQ(fdio_write_atomic(path.at, text_str(got), got->len, &e), 0);
        return;
    }
    CHECK_EQ(fdio_read_file(path.at, 1 << 20, &want, &e), 0);
    if (strcmp(suffix, ".json") != 0) {
        CHECK_STR(text_str(got), text_str(&want));
        return;
    }
    without_blanks(text_str(got), &a);
    without_blanks(text_str(&want), &b);
    CHECK_STR(text_str(&a), text_str(&b));
}

static void fill(size_t i, struct target *t, struct finding *f)
{
    report_cases[i].fill(t, f);
}

static void json_of(const struct subject *s, size_t n, struct text *out)
{
    own_text struct text platform = {0}, ours = {0};
    report_json(s, n, out);
    finding_platform(&platform);
    text_addf(&ours, "\"version\": \"%s\"", FR_VERSION);
    replace_all(out, text_str(&platform), "PLATFORM");
    replace_all(out, text_str(&ours), "\"version\": \"VERSION\"");
}

TEST(human_reports_are_golden)
{
    for (size_t i = 0; i < report_cases_n; i++) {
        own_target struct target t = {0};
        own_finding struct finding f = {0};
        own_text struct text out = {0};
        fill(i, &t, &f);
        report_human(&t, &f, &plain, &out);
        check_golden(report_cases[i].name, ".txt", &out);
    }
}

TEST(json_reports_are_golden)
{
    for (size_t i = 0; i < report_cases_n; i++) {
        own_target struct target t = {0};
        own_finding struct finding f = {0};
        own_text struct text out = {0};
        fill(i, &t, &f);
        json_of(&(struct subject){&t, &f}, 1, &out);
        check_golden(report_cases[i].name, ".json", &out);
    }
}

TEST(several_findings_share_one_document)
{
    own_target struct target a = {0}, b = {0};
    own_finding struct finding x = {0}, y = {0};
    own_text struct text out = {0}, none = {0};
    fill(0, &a, &x);
    fill(7, &b, &y);
    json_of((struct subject[]){{&a, &x}, {&b, &y}}, 2, &out);
    check_golden("several", ".json", &out);
    report_json(NULL, 0, &none);
    CHECK_EQ(strstr(text_str(&none), "\"findings\": [\n]") != NULL, 1);
}

/* No line is wider than the page, and no byte is one a terminal obeys; only what is to be
 * pasted may be longer. */
TEST(every_line_fits)
{
    for (size_t i = 0; i < 2 * report_cases_n; i++) {
        own_target struct target t = {0};
        own_finding struct finding f = {0};
        own_text struct text out = {0}, command = {0};
        fill(i / 2, &t, &f);
        report_human(&t, &f, &(struct style){.verbose = i % 2}, &out);
        columns_clean(f.repro.command ? f.repro.command : "\n", &command);
        char *rest = out.at;
        for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
            bool pasted = strstr(line, text_str(&command)) != NULL ||
                          (f.repro.marker && strstr(line, f.repro.marker));
            if (columns_width(line) > COLUMNS && !pasted)
                CHECK_STR(line, "a line of at most 72 columns");
            size_t n = strlen(line);
            if (n > 0 && line[n - 1] == ' ')
                CHECK_STR(line, "a line without blanks at its end");
            for (const char *c = line; *c; c++)
                if ((unsigned char)*c < 0x20 || *c == 0x7f)
                    CHECK_STR(line, "a line without control bytes");
        }
    }
}

/* Colour adds escape sequences and changes nothing else. */
TEST(colour_only_paints)
{
    for (size_t i = 0; i < report_cases_n; i++) {
        own_target struct target t = {0};
        own_finding struct finding f = {0};
        own_text struct text bare = {0}, painted = {0}, stripped = {0};
        fill(i, &t, &f);
        report_human(&t, &f, &plain, &bare);
        report_human(&t, &f, &(struct style){.colour = true}, &painted);
        for (const char *c = text_str(&painted); *c; c++) {
            if (*c == '\033')
                c += strcspn(c, "m");
            else
                text_addc(&stripped, *c);
        }
        CHECK_STR(text_str(&stripped), text_str(&bare));
        CHECK_EQ(painted.len > bare.len, 1);
    }
}

/* Even an empty finding of each verdict makes a report, with an empty target. */
TEST(nothing_known_is_still_a_report)
{
    for (int v = VERDICT_NONE; v <= VERDICT_INCOMPLETE; v++) {
        own_target struct target t = {0};
        own_finding struct finding f = {.verdict = (enum verdict)v};
        own_text struct text human = {0}, json = {0};
        report_human(&t, &f, &plain, &human);
        report_json(&(struct subject){&t, &f}, 1, &json);
        CHECK_EQ(strstr(text_str(&human), "DIAGNOSIS") != NULL, 1);
        CHECK_EQ(strstr(text_str(&json), "\"repro\": null") != NULL, 1);
        CHECK_EQ(strstr(text_str(&human), "fixed") == NULL, 1);
    }
}

static void check_percent(void (*print)(double, struct text *), double x, const char *want)
{
    own_text struct text t = {0};
    print(x, &t);
    CHECK_STR(text_str(&t), want);
}

TEST(percent_never_rounds_to_certainty)
{
    check_percent(percent_near, 0, "0");
    check_percent(percent_near, 1, "100");
    check_percent(percent_near, 0.9999, "99.99");
    check_percent(percent_near, 0.99996, "99.996");
    check_percent(percent_near, 0.0004, "0.04");
    check_percent(percent_near, 0.0302, "3");
    check_percent(percent_near, 1e-12, "<0.000001");
    check_percent(percent_floor, 0.7411, "74");
    check_percent(percent_floor, 0.7499, "74");
    check_percent(percent_floor, 0.995, "99.5");
    check_percent(percent_ceil, 0.0099361, "1.0");
    check_percent(percent_ceil, 0.4507, "46");
    check_percent(percent_ceil, 0.99999, "99.999");
    check_percent(percent_p, 0.05, "0.05");
    check_percent(percent_p, 3.3e-7, "3e-07");
    check_percent(percent_p, 0, "<1e-300");
}

TEST(bounds_of_extreme_counts)
{
    check_percent(percent_ceil, bound_above_none(300), "1.0"); /* 1 - 0.05^(1/300) = 0.99361 % */
    check_percent(percent_ceil, bound_above_none(10), "26");   /* 25.887 % */
    check_percent(percent_floor, bound_below_all(10), "74");   /* 0.05^(1/10) = 74.113 % */
    check_percent(percent_floor, bound_below_all(1), "5");
    check_percent(percent_ceil, bound_above_none(0), "100");
    check_percent(percent_floor, bound_below_all(0), "0");
}

static void check_wrap(const char *s, size_t at, size_t indent, const char *want)
{
    own_text struct text t = {0};
    columns_wrap(s, at, indent, &t);
    CHECK_STR(text_str(&t), want);
}

TEST(columns_of_wide_and_broken_text)
{
    own_text struct text t = {0};
    CHECK_EQ((int64_t)columns_width("größe"), 5);
    CHECK_EQ((int64_t)columns_width("日本"), 4);
    CHECK_EQ((int64_t)columns_width("e\xcc\x81"), 1); /* e and a combining accent */
    columns_clean("a\xff\xc0\xaf\033[0mb\xc2\x9b" "1m", &t);
    CHECK_STR(text_str(&t), "a????[0mb?1m");
    text_clear(&t);
    columns_cut("日本語", 5, &t);
    CHECK_STR(text_str(&t), "日本…");
    check_wrap("", 0, 0, "\n");
    check_wrap("one\n\n two", 0, 2, "one\n  two\n");
    check_wrap("x", COLUMNS, 1, "\n x\n");
}
