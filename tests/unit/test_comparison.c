/* Arms against their baseline: which cases pair, and what is said by how many pairs there are. */
#include "check.h"

#include "report/comparisons.h"
#include "samples.h"

static void section_is(const struct suite *s, const char *want)
{
    const struct style plain = {0};
    own_text struct text got = {0};
    struct comparisons c;
    suite_compare(s, &c);
    comparisons_section(&c, &s->config, &plain, &got);
    CHECK_STR(text_str(&got), want);
    comparisons_done(&c);
}

/* The described session: terse 8 of 10, chain_of_thought 10 of 10 at four times the price. */
static void triage(struct suite *s)
{
    struct sample_case *c =
        samples_case(s, "triage", "text=refund,style=terse", (struct ran){8, 2, 0});
    c->costs = true;
    c->cost = .001;
    c = samples_case(s, "triage", "text=refund,style=chain_of_thought", (struct ran){10, 0, 0});
    c->costs = true;
    c->cost = .004;
    samples_compare(s, "triage", "style", NAN);
}

TEST(one_pair_is_told_as_the_described_tool_tells_it)
{
    SAMPLES(s);
    triage(&s);
    section_is(&s,
               "  triage[style]  chain_of_thought − terse  +20 pp [−11, +51]  p=0.47  1 paired  "
               "cost ×4.0\n");
}

TEST(one_pair_has_newcombes_interval_and_fishers_p)
{
    SAMPLES(s);
    triage(&s);
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_EQ(c.n, 1);
    CHECK_EQ(c.family, 1);
    CHECK_NEAR(c.of[0].difference, .2, 1e-15);
    CHECK_NEAR(c.of[0].interval.low, -0.1123531026122217, 1e-12);
    CHECK_NEAR(c.of[0].interval.high, 0.5098375284633582, 1e-12);
    CHECK_NEAR(c.of[0].p, 9. / 19, 1e-12);
    CHECK_NEAR(c.of[0].p_adjusted, 9. / 19, 1e-12);
    CHECK_EQ(c.of[0].by, COMPARED_FISHER);
    CHECK(c.of[0].exact);
    CHECK_NEAR(c.of[0].cost_ratio, 4, 1e-12);
    CHECK_EQ(c.of[0].verdict, GATE_OPEN);
    CHECK(comparisons_find(&c, "triage", "chain_of_thought") == &c.of[0]);
    CHECK(!comparisons_find(&c, "triage", "terse"));
    comparisons_done(&c);
}

static void few(struct suite *s)
{
    static const struct ran a[] = {{8, 2, 0}, {8, 2, 0}, {7, 3, 0}, {9, 1, 0}};
    static const struct ran b[] = {{6, 3, 1}, {6, 3, 1}, {7, 2, 1}, {6, 3, 1}};
    static const struct ran third[] = {{9, 1, 0}, {9, 1, 0}, {9, 1, 0}, {0, 0, 0}};
    char name[32];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "n=%d,style=a", i + 1);
        samples_case(s, "few", name, a[i]);
        name[strlen(name) - 1] = 'b';
        samples_case(s, "few", name, b[i]);
        name[strlen(name) - 1] = 'c';
        samples_case(s, "few", name, third[i]);
    }
    samples_compare(s, "few", "style", NAN);
}

/* Errored runs count as not passed: 6 of 10, not 6 of 9. What did not run is not paired. */
TEST(a_few_pairs_have_a_p_and_each_its_own_interval)
{
    SAMPLES(s);
    few(&s);
    section_is(&s, "  few[style]  b − a  −17.5 pp  p=0.25  4 paired\n"
                   "      1  6/10 vs 8/10  −20 pp [−52, +19]  p=0.63\n"
                   "      2  6/10 vs 8/10  −20 pp [−52, +19]  p=0.63\n"
                   "      3  7/10 vs 7/10    0 pp [−36, +36]  p=1\n"
                   "      4  6/10 vs 9/10  −30 pp [−60,  +8]  p=0.30\n"
                   "  few[style]  c − a  +13.3 pp  p=0.25  3 paired, 1 unpaired\n"
                   "      1  9/10 vs 8/10  +10 pp [−24, +42]  p=1\n"
                   "      2  9/10 vs 8/10  +10 pp [−24, +42]  p=1\n"
                   "      3  9/10 vs 7/10  +20 pp [−16, +51]  p=0.58\n"
                   "\n"
                   "  p not adjusted for 2 comparisons: exploratory (--prob-adjust=holm adjusts "
                   "them)\n");
}

TEST(errors_count_as_not_passed_even_where_gates_leave_them_out)
{
    SAMPLES(s, "errors", "exclude");
    few(&s);
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_EQ(c.of[0].of[0].arm.runs, 10);
    CHECK_NEAR(c.of[0].difference, -.175, 1e-12);
    comparisons_done(&c);
}

TEST(a_correction_is_shown_and_named)
{
    SAMPLES(s, "adjust", "holm");
    few(&s);
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_NEAR(c.of[0].p, .25, 1e-12);
    CHECK_NEAR(c.of[0].p_adjusted, .5, 1e-12);
    CHECK_EQ(c.family, 2);
    comparisons_done(&c);
    SAMPLES(bh, "adjust", "bh");
    few(&bh);
    suite_compare(&bh, &c);
    CHECK_NEAR(c.of[1].p_adjusted, .25, 1e-12);
    comparisons_done(&c);
    SAMPLES(bonferroni, "adjust", "bonferroni");
    few(&bonferroni);
    suite_compare(&bonferroni, &c);
    CHECK_NEAR(c.of[1].p_adjusted, .5, 1e-12);
    comparisons_done(&c);
}

/* Twelve inputs: the differences are given in tenths. */
static void twelve(struct suite *s, const int *tenths, double margin)
{
    char name[32];
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "n=%d,style=a", i);
        samples_case(s, "many", name, (struct ran){8, 2, 0});
        name[strlen(name) - 1] = 'b';
        samples_case(s, "many", name, (struct ran){8 + tenths[i], 2 - tenths[i], 0});
    }
    samples_compare(s, "many", "style", margin);
}

static const int worse[12] = {-4, -3, 0, -1, -5, 0, 0, -2, 1, -1, -3, 0}; /* -15 points */

static struct comparison *only(struct comparisons *c)
{
    CHECK_EQ(c->n, 1);
    return &c->of[0];
}

TEST(many_pairs_have_a_bootstrap_over_inputs)
{
    SAMPLES(s);
    twelve(&s, worse, .05);
    struct comparisons all;
    suite_compare(&s, &all);
    struct comparison *c = only(&all);
    CHECK_NEAR(c->difference, -.15, 1e-12);
    CHECK_EQ(c->hidden, HIDDEN_NOT);
    CHECK_EQ(c->by, COMPARED_SIGN_FLIP);
    CHECK(c->exact);
    CHECK(!c->percentile);
    /* an ideal percentile interval is about [-25, -5.8]; BCa moves it by the skewness */
    CHECK_NEAR(c->interval.low, -.25, .02);
    CHECK_NEAR(c->interval.high, -.058, .02);
    CHECK_LE(c->interval.high, -.05);
    CHECK_EQ(c->verdict, GATE_FAIL);
    CHECK(!comparison_passes(c, &s.config));
    comparisons_done(&all);
}

TEST(a_seed_fixes_the_interval_and_the_order_of_cases_does_not_matter)
{
    SAMPLES(s);
    SAMPLES(other, "seed", "1");
    SAMPLES(reversed);
    struct comparisons a, b;
    twelve(&s, worse, NAN);
    twelve(&other, worse, NAN);
    char name[32];
    samples_case(&reversed, "many", "n=0,style=a", (struct ran){8, 2, 0}); /* the first value */
    for (int i = 11; i >= 0; i--) {
        snprintf(name, sizeof name, "n=%d,style=b", i);
        samples_case(&reversed, "many", name, (struct ran){8 + worse[i], 2 - worse[i], 0});
        name[strlen(name) - 1] = 'a';
        if (i > 0)
            samples_case(&reversed, "many", name, (struct ran){8, 2, 0});
    }
    samples_compare(&reversed, "many", "style", NAN);

    suite_compare(&s, &a);
    suite_compare(&reversed, &b);
    CHECK(memcmp(&a.of[0].interval, &b.of[0].interval, sizeof a.of[0].interval) == 0);
    CHECK_NEAR(a.of[0].p, b.of[0].p, 0);
    comparisons_done(&b);
    suite_compare(&other, &b);
    CHECK(fabs(a.of[0].interval.low - b.of[0].interval.low) > 0 ||
          fabs(a.of[0].interval.high - b.of[0].interval.high) > 0);
    comparisons_done(&b);
    comparisons_done(&a);
}

static enum gate_verdict verdict_of(const int *tenths, double margin, bool equivalence)
{
    SAMPLES(s);
    twelve(&s, tenths, margin);
    suite_function(&s, "many")->compare.equivalence = equivalence;
    struct comparisons all;
    suite_compare(&s, &all);
    enum gate_verdict v = only(&all)->verdict;
    comparisons_done(&all);
    return v;
}

TEST(a_margin_is_about_the_whole_interval)
{
    static const int same[12] = {0}, better[12] = {2, 1, 2, 2, 1, 2, 2, 2, 1, 2, 2, 2},
                     mixed[12] = {2, -2, 1, -1, 2, -2, 1, -1, 2, -2, 0, 0};
    CHECK_EQ(verdict_of(same, .02, false), GATE_PASS);
    CHECK_EQ(verdict_of(same, 0, false), GATE_UNDECIDED); /* the end lies on the margin */
    CHECK_EQ(verdict_of(better, 0, false), GATE_PASS);
    CHECK_EQ(verdict_of(mixed, .05, false), GATE_UNDECIDED);
    CHECK_EQ(verdict_of(mixed, .3, false), GATE_PASS);
    CHECK_EQ(verdict_of(worse, .05, false), GATE_FAIL);
    CHECK_EQ(verdict_of(worse, .1, false), GATE_UNDECIDED);
    CHECK_EQ(verdict_of(same, .1, true), GATE_PASS);
    CHECK_EQ(verdict_of(better, .1, true), GATE_FAIL); /* better is not the same */
    CHECK_EQ(verdict_of(worse, .05, true), GATE_FAIL);
    CHECK_EQ(verdict_of(mixed, .05, true), GATE_UNDECIDED);
    CHECK_EQ(verdict_of(mixed, .3, true), GATE_PASS);
}

TEST(without_an_interval_there_is_no_verdict_yet)
{
    SAMPLES(s);
    few(&s);
    suite_function(&s, "few")->compare.margin = .5;
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_EQ(c.of[0].verdict, GATE_UNDECIDED);
    CHECK(!comparison_passes(&c.of[0], &s.config));
    s.config.undecided_passes = true;
    CHECK(comparison_passes(&c.of[0], &s.config));
    comparisons_done(&c);
}

TEST(few_inputs_may_be_said_to_be_enough)
{
    SAMPLES(s, "min-inputs", "3");
    few(&s);
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_EQ(c.of[0].hidden, HIDDEN_NOT);
    CHECK_EQ(c.of[1].hidden, HIDDEN_NOT);
    comparisons_done(&c);
}

TEST(stopped_cases_hide_interval_and_p)
{
    SAMPLES(s);
    struct comparisons all;
    twelve(&s, worse, NAN);
    suite_find(&s, "many::3-b")->cut = 5;
    suite_find(&s, "many::4-b")->cut = 5;
    section_is(&s, "  many[style]  b − a  12 paired  interval hidden: 2 cases stopped early\n");
    suite_compare(&s, &all);
    CHECK_EQ(only(&all)->hidden, HIDDEN_STOPPED);
    CHECK_EQ(all.of[0].stopped, 2);
    CHECK_EQ(all.family, 0);
    CHECK(isnan(all.of[0].p) && isnan(all.of[0].interval.low));
    CHECK_NEAR(all.of[0].difference, -.15, 1e-12);
    comparisons_done(&all);
}

TEST(the_baseline_may_be_another_value)
{
    SAMPLES(s);
    triage(&s);
    suite_function(&s, "triage")->compare.baseline = str_or_die("chain_of_thought");
    section_is(&s,
               "  triage[style]  terse − chain_of_thought  −20 pp [−51, +11]  p=0.47  1 paired  "
               "cost ×0.25\n");
}

static void arms_fail(struct suite *s, const char *what, const char *hint)
{
    struct arms arms;
    struct err e = {0};
    CHECK_EQ(function_arms(s, &s->function[0], &arms, &e), -1);
    CHECK_STR(e.what, what);
    CHECK_STR(e.hint, hint);
    CHECK_EQ(arms.n, 0);
}

TEST(a_mark_that_cannot_be_met_is_told)
{
    SAMPLES(s);
    triage(&s);
    struct compare_rule *r = &s.function[0].compare;
    r->baseline = str_or_die("verbose");
    arms_fail(&s, "baseline=\"verbose\" is none of the values of \"style\"",
              "the values are terse, chain_of_thought");
    free(r->baseline);
    r->baseline = NULL;
    free(r->axis);
    r->axis = str_or_die("text");
    arms_fail(&s, "compare=\"text\" has one value only: \"refund\"", "");
    free(r->axis);
    r->axis = str_or_die("model");
    arms_fail(&s, "compare=\"model\" is no argument of parametrize", "");
}

TEST(an_axis_that_only_the_command_line_names_may_be_missing)
{
    SAMPLES(s, "compare", "model");
    triage(&s);
    free(s.function[0].compare.axis);
    s.function[0].compare.axis = str_or_die("model");
    struct arms arms;
    struct err e = {0};
    CHECK_EQ(function_arms(&s, &s.function[0], &arms, &e), 0);
    CHECK_EQ(arms.n, 0);
    section_is(&s, "");
}

TEST(arms_are_told_in_the_order_of_their_values)
{
    SAMPLES(s);
    few(&s);
    struct arms arms;
    struct err e = {0};
    CHECK_EQ(function_arms(&s, &s.function[0], &arms, &e), 0);
    CHECK_EQ(arms.n, 2);
    CHECK_STR(arms.baseline, "a");
    CHECK_STR(arms.arm[0], "b");
    CHECK_STR(arms.arm[1], "c");
    arms_done(&arms);
}

/* Under xdist cases come in any order; the first value is the first that was collected. */
TEST(the_order_of_collection_decides_which_value_is_first)
{
    SAMPLES(s);
    samples_case(&s, "f", "style=b", (struct ran){5, 0, 0})->index = 7;
    samples_case(&s, "f", "style=c", (struct ran){5, 0, 0})->index = 9;
    samples_case(&s, "f", "style=a", (struct ran){5, 0, 0})->index = 3;
    samples_compare(&s, "f", "style", NAN);
    struct arms arms;
    struct err e = {0};
    CHECK_EQ(function_arms(&s, &s.function[0], &arms, &e), 0);
    CHECK_STR(arms.baseline, "a");
    CHECK_STR(arms.arm[0], "b");
    CHECK_STR(arms.arm[1], "c");
    arms_done(&arms);
}

/* Arguments of one parametrize come with its part of the id, each: o moves with style. */
TEST(arguments_that_vary_together_do_not_part_the_pairs)
{
    SAMPLES(s);
    samples_case(&s, "u", "m=mm,style=a-1,o=a-1", (struct ran){1, 0, 0});
    samples_case(&s, "u", "m=mm,style=b-2,o=b-2", (struct ran){1, 0, 0});
    samples_compare(&s, "u", "style", NAN);
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_EQ(only(&c)->pairs, 1);
    CHECK_STR(c.of[0].of[0].input, "mm");
    comparisons_done(&c);

    SAMPLES(listed);
    samples_case(&listed, "u", "text=x,expected=x,style=a", (struct ran){1, 0, 0});
    samples_case(&listed, "u", "text=y,expected=y,style=a", (struct ran){1, 0, 0});
    samples_case(&listed, "u", "text=x,expected=x,style=b", (struct ran){1, 0, 0});
    samples_case(&listed, "u", "text=y,expected=y,style=b", (struct ran){1, 0, 0});
    samples_compare(&listed, "u", "style", NAN);
    suite_compare(&listed, &c);
    CHECK_EQ(only(&c)->pairs, 2);
    CHECK_STR(c.of[0].of[1].input, "y");
    comparisons_done(&c);
}

/* "a-b" and "c" is another input than "a" and "b-c". */
TEST(inputs_are_the_same_by_value_not_by_how_they_print)
{
    SAMPLES(s);
    samples_case(&s, "f", "x=a-b,y=c,style=1", (struct ran){1, 0, 0});
    samples_case(&s, "f", "x=a,y=b-c,style=2", (struct ran){1, 0, 0});
    samples_compare(&s, "f", "style", NAN);
    struct comparisons c;
    suite_compare(&s, &c);
    CHECK_EQ(only(&c)->pairs, 0);
    CHECK_EQ(c.of[0].unpaired_n, 2);
    CHECK_EQ(c.of[0].hidden, HIDDEN_NO_PAIRS);
    comparisons_done(&c);
    section_is(&s, "  f[style]  2 − 1  0 paired, 2 unpaired\n");
}

TEST(an_arm_that_did_not_run_is_not_told)
{
    SAMPLES(s);
    samples_case(&s, "f", "style=1", (struct ran){5, 0, 0});
    samples_case(&s, "f", "style=2", (struct ran){0, 0, 0});
    samples_case(&s, "f", "style=3", (struct ran){5, 0, 0});
    samples_compare(&s, "f", "style", NAN);
    section_is(&s, "  f[style]  3 − 1  0 pp [−43, +43]  p=1  1 paired\n");
}

/* The rows of several functions, by name, one under the other. */
TEST(rows_are_sorted_and_stand_in_columns)
{
    SAMPLES(s);
    triage(&s);
    few(&s);
    twelve(&s, (const int[12]){0}, .02);
    suite_function(&s, "many")->compare.equivalence = true;
    section_is(
        &s, "  few[style]     b − a                     −17.5 pp             p=0.25  4 paired\n"
            "      1  6/10 vs 8/10  −20 pp [−52, +19]  p=0.63\n"
            "      2  6/10 vs 8/10  −20 pp [−52, +19]  p=0.63\n"
            "      3  7/10 vs 7/10    0 pp [−36, +36]  p=1\n"
            "      4  6/10 vs 9/10  −30 pp [−60,  +8]  p=0.30\n"
            "  few[style]     c − a                     +13.3 pp             p=0.25  3 paired, 1 "
            "unpaired\n"
            "      1  9/10 vs 8/10  +10 pp [−24, +42]  p=1\n"
            "      2  9/10 vs 8/10  +10 pp [−24, +42]  p=1\n"
            "      3  9/10 vs 7/10  +20 pp [−16, +51]  p=0.58\n"
            "  many[style]    b − a                       0.0 pp [0.0, 0.0]  p=1     12 paired     "
            "     "
            "              ±2 pp  PASS\n"
            "  triage[style]  chain_of_thought − terse    +20 pp [−11, +51]  p=0.47  1 paired      "
            "     "
            "   cost ×4.0\n"
            "\n"
            "  p not adjusted for 4 comparisons: exploratory (--prob-adjust=holm adjusts them)\n");
}

TEST(a_drop_of_fifteen_points_fails_a_margin_of_five)
{
    SAMPLES(s);
    twelve(&s, worse, .05);
    section_is(&s, "  many[style]  b − a  −15.0 pp [−26.7, −5.8]  p=0.03  12 paired  ≥−5 pp  FAIL\n"
                   "\n"
                   "  intervals over fewer than 20 pairs cover about 90%, not 95%\n");
}

/* 0 and the margin are printed only for what is exactly that. */
TEST(rounding_never_lands_on_what_decides)
{
    SAMPLES(s);
    struct comparison c = {.function = (char[]){"f"},
                           .axis = (char[]){"x"},
                           .baseline = (char[]){"a"},
                           .arm = (char[]){"b"},
                           .pairs = 12,
                           .difference = -.0004,
                           .interval = {-.05004, .00004},
                           .by = COMPARED_SIGN_FLIP,
                           .p = .2,
                           .p_adjusted = .2,
                           .margin = .05,
                           .verdict = GATE_UNDECIDED,
                           .cost_ratio = NAN};
    own_text struct text t = {0};
    comparison_line(&c, &t);
    CHECK_STR(text_str(&t), "f[x]  b − a  −0.04 pp [−5.004, +0.004]  p=0.20  12 paired  ≥−5 pp  "
                            "UNDECIDED");
    text_clear(&t);
    c.interval = (struct interval){-.05, 1};
    c.difference = .99999;
    comparison_line(&c, &t);
    CHECK_STR(text_str(&t), "f[x]  b − a  +99.999 pp [−5.0, +100.0]  p=0.20  12 paired  ≥−5 pp  "
                            "UNDECIDED");
}
