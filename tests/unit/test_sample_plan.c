/* --prob-plan: numbers of the described tool, and the layout. */
#include "check.h"

#include "report/plan.h"
#include "samples.h"
#include "stats/plan.h"

static struct sample_case *with_rate(struct suite *s, const char *function, double bar)
{
    struct sample_case *c = samples_case(s, function, "", (struct ran){0});
    c->rule.bar = BAR_RATE;
    c->rule.min_rate = bar;
    return c;
}

/* The suite that the described tool was asked about. */
static void eight(struct suite *s)
{
    for (int i = 1; i <= 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "n=%d", i);
        struct sample_case *c = samples_case(s, "rate", name, (struct ran){0});
        c->rule.bar = BAR_RATE;
        c->rule.min_rate = .9;
    }
    struct sample_case *c = samples_case(s, "count", "", (struct ran){0});
    c->rule.bar = BAR_COUNT;
    c->rule.min_passes = 19;
    with_rate(s, "high", .99);
    with_rate(s, "mid", .965);
    samples_case(s, "free", "", (struct ran){0});
    samples_case(s, "lat", "", (struct ran){0})->rule.max_latency = 2;
    with_rate(s, "both", .8)->rule.max_latency = 2;
}

static void table_is(const struct suite *s, int64_t runs, const struct earlier *costs,
                     const char *want)
{
    int64_t each[8] = {runs, runs, runs, runs, runs, runs, runs, runs};
    struct sample_plan p;
    own_text struct text got = {0};
    sample_plan_make(s, each, costs, &p);
    plan_section(&p, &s->config, 80, &got);
    char *after = strstr(got.at, "\n\n  runs ");
    CHECK(after != NULL);
    if (after)
        text_cut(&got, (size_t)(after - got.at) + 1);
    CHECK_STR(text_str(&got), want);
    sample_plan_done(&p);
}

/* But for "mid", where that tool says >10,000: of 9,973 runs 9,660 have to pass, and do with a
 * chance of .8003. */
TEST(the_table_of_the_described_tool)
{
    SAMPLES(s, "plan", "true");
    eight(&s);
    table_is(&s, 40, NULL,
             "  case     runs  min runs  runs for 80%  chance now  catch 10%  catch 1%\n"
             "  rate::1    40        36           100         30%        99%       33%\n"
             "  rate::2    40        36           100         30%        99%       33%\n"
             "  count      40        19            20         99%        99%       33%\n"
             "  high       40       368         never          0%        99%       33%\n"
             "  mid        40       104          9973          0%        99%       33%\n"
             "  free       40         —             —           —        99%       33%\n"
             "  lat        40        72             —           —        99%       33%\n"
             "  both       40        72           26*        88%*        99%       33%\n"
             "\n"
             "  Plan:    8 cases, 320 runs; nothing was run.\n");
}

TEST(other_rates_and_the_cost_of_an_earlier_report)
{
    SAMPLES(s, "plan-assume", "0.95", "plan-flake", "0.2,0.005", "plan-report", "r.json");
    eight(&s);
    char names[3][8] = {"count", "rate::1", "rate::2"};
    struct earlier_row rows[3] = {{names[0], {40, 40}, .04, false},
                                  {names[1], {40, 40}, .08, false},
                                  {names[2], {40, 40}, .08, false}};
    struct earlier costs = {.of = rows, .n = 3};
    table_is(&s, 40, &costs,
             "  case     runs  min runs  runs for 80%  chance now  catch 20%  catch 0.5%     cost\n"
             "  rate::1    40        36           231         13%        99%         18%  $0.0800\n"
             "  rate::2    40        36           231         13%        99%         18%  $0.0800\n"
             "  count      40        19            21         99%        99%         18%  $0.0400\n"
             "  high       40       368         never          0%        99%         18%\n"
             "  mid        40       104         never          0%        99%         18%\n"
             "  free       40         —             —           —        99%         18%\n"
             "  lat        40        72             —           —        99%         18%\n"
             "  both       40        72           41*        68%*        99%         18%\n"
             "\n"
             "  Plan:    8 cases, 320 runs; nothing was run.\n"
             "  Cost:    $0.2000 projected from r.json, which has 3 of the 8 cases\n");
}

TEST(stopping_as_soon_as_it_is_clear)
{
    SAMPLES(s, "stop", "sequential");
    eight(&s);
    for (size_t i = 0; i < s.n; i++)
        s.of[i].rule.runs = 100;
    table_is(
        &s, 100, NULL,
        "  case     runs  min runs  runs for 80%  chance now  expected runs  catch 10%  catch 1%\n"
        "  rate::1   100        53           197         33%             76        99%       63%\n"
        "  rate::2   100        53           197         33%             76        99%       63%\n"
        "  count     100        19            20         99%             20        99%       63%\n"
        "  high      100       680         never          0%             88        99%       63%\n"
        "  mid       100       173       >10,000          0%             91        99%       63%\n"
        "  free      100         —             —           —              —        99%       63%\n"
        "  lat       100        72             —           —              —        99%       63%\n"
        "  both      100        72           26*        99%*            100        99%       63%\n"
        "\n"
        "  Plan:    8 cases, 800 runs; nothing was run.\n");
}

TEST(stopping_when_it_is_certain_changes_no_chance)
{
    SAMPLES(s, "stop", "curtail");
    SAMPLES(off);
    eight(&s);
    eight(&off);
    int64_t each[8] = {100, 100, 100, 100, 100, 100, 100, 100};
    struct sample_plan with, without;
    sample_plan_make(&s, each, NULL, &with);
    sample_plan_make(&off, each, NULL, &without);
    for (size_t i = 0; i < with.n; i++) {
        CHECK_EQ(with.of[i].needed, without.of[i].needed);
        if (!isnan(without.of[i].chance))
            CHECK_NEAR(with.of[i].chance, without.of[i].chance, 0);
        CHECK(isnan(without.of[i].expected));
    }
    CHECK_LE(with.of[0].expected, 99);
    CHECK_NEAR(with.of[2].expected, 19 / .97, 1e-6); /* until the 19th pass */
    CHECK_NEAR(with.of[7].expected, 100, 0);         /* latency is judged from all */
    sample_plan_done(&with);
    sample_plan_done(&without);
}

TEST(only_what_is_selected_is_planned)
{
    SAMPLES(s);
    eight(&s);
    int64_t each[8] = {11, 0, 0, 0, 0, 10, 0, 0};
    struct sample_plan p;
    sample_plan_make(&s, each, NULL, &p);
    CHECK_EQ(p.n, 2);
    CHECK_EQ(p.runs, 21);
    CHECK_STR(p.of[0].name, "rate::1");
    CHECK_NEAR(p.of[0].chance, 0, 0);
    CHECK_EQ(p.of[0].min_runs, 36);
    CHECK_STR(p.of[1].name, "free");
    CHECK_EQ(p.of[1].min_runs, PLAN_NO_GATE);
    sample_plan_done(&p);
}

/* A session without gates has no columns for them. */
TEST(columns_that_say_nothing_are_left_out)
{
    SAMPLES(s);
    samples_case(&s, "free", "", (struct ran){0});
    int64_t each[1] = {10};
    struct sample_plan p;
    own_text struct text got = {0};
    sample_plan_make(&s, each, NULL, &p);
    plan_section(&p, &s.config, 80, &got);
    CHECK_STR(text_str(&got),
              "  case  runs  catch 10%  catch 1%\n"
              "  free    10        65%       10%\n"
              "\n"
              "  Plan:    1 case, 10 runs; nothing was run.\n"
              "\n"
              "  runs       Planned (--prob-runs, runs= on the mark, or prob_runs), as far as\n"
              "             selected.\n"
              "  catch 10%  How likely the planned runs show a failure, if 10% of runs fail; 29\n"
              "             runs are enough for 95%.\n"
              "  catch 1%   How likely the planned runs show a failure, if 1% of runs fail; 299\n"
              "             runs are enough for 95%.\n");
    sample_plan_done(&p);
}

TEST(rare_failures_and_certain_ones)
{
    SAMPLES(s, "plan-flake", "0.0003,0.00001,0.123,0.5");
    samples_case(&s, "free", "", (struct ran){0});
    table_is(&s, 40, NULL,
             "  case  runs  catch 0.03%  catch 0.001%  catch 12.3%  catch 50%\n"
             "  free    40           1%            1%          99%        99%\n"
             "\n"
             "  Plan:    1 case, 40 runs; nothing was run.\n");
}

TEST(the_words_below_the_table)
{
    SAMPLES(s, "stop", "sequential", "plan-flake", "0.1,0.0003");
    eight(&s);
    for (size_t i = 0; i < s.n; i++)
        s.of[i].rule.runs = 10;
    int64_t each[8] = {10, 10, 10, 10, 10, 10, 10, 10};
    struct sample_plan p;
    own_text struct text got = {0};
    sample_plan_make(&s, each, NULL, &p);
    plan_section(&p, &s.config, 80, &got);
    const char *words = strstr(text_str(&got), "\n\n  runs ");
    CHECK_STR(words ? words + 2 : "",
              "  runs           Planned (--prob-runs, runs= on the mark, or prob_runs), as far\n"
              "                 as selected.\n"
              "  min runs       With fewer runs the gate cannot pass, even if every run does;\n"
              "                 for a gate on latency, because its interval has no upper end\n"
              "                 yet. The larger of the two where a case has both.\n"
              "  runs for 80%   Runs with which the gate passes 4 times in 5, if the case in\n"
              "                 truth passes 97% of its runs (--prob-plan-assume); never: that\n"
              "                 is not above the bar. For latency it would take a guess at the\n"
              "                 speed: —.\n"
              "  chance now     How likely the gate passes with the runs of the first column,\n"
              "                 if the case in truth passes 97% of them.\n"
              "  expected runs  What the case uses on average with --prob-stop=sequential,\n"
              "                 which stops it as soon as its interval is clear of the bar;\n"
              "                 runs is the most it may use, and the columns before are about\n"
              "                 that way of stopping.\n"
              "  *              About the gate on the rate alone; there is one on latency too.\n"
              "  catch 10%      How likely the planned runs show a failure, if 10% of runs\n"
              "                 fail; 29 runs are enough for 95%.\n"
              "  catch 0.03%    How likely the planned runs show a failure, if 0.03% of runs\n"
              "                 fail; 9,985 runs are enough for 95%.\n");
    sample_plan_done(&p);
}

/* The other methods, and a prior. */
TEST(methods_have_their_own_numbers)
{
    SAMPLES(s);
    with_rate(&s, "wilson", .9)->rule.method = METHOD_WILSON;
    with_rate(&s, "bayes", .9)->rule.method = METHOD_BAYES;
    int64_t each[2] = {40, 40};
    struct sample_plan p;
    sample_plan_make(&s, each, NULL, &p);
    struct gate_rule wilson = {.bar = .9, .confidence = .95, .method = GATE_WILSON};
    struct gate_rule bayes = {.bar = .9, .confidence = .95, .method = GATE_BAYES, .a = 1, .b = 1};
    CHECK_EQ(p.of[0].min_runs, gate_min_runs(&wilson));
    CHECK_EQ(p.of[1].min_runs, gate_min_runs(&bayes));
    CHECK(p.of[0].needed > p.of[0].min_runs);
    CHECK_EQ(p.of[1].needed, plan_runs(&bayes, .97, .8, 10000));
    CHECK_EQ(p.of[0].needed, plan_runs(&wilson, .97, .8, 10000));
    sample_plan_done(&p);
}
