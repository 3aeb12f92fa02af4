/* Findings of the causes that a report tells in its own way: order, two together, a zone, timing. */
#include "../cli/report_cases.h"

#include <string.h>

static void flaky(struct finding *f, enum claim claim, const char *headline)
{
    f->verdict = VERDICT_FLAKY;
    f->claim = claim;
    f->strength = STRENGTH_ALWAYS;
    text_add(&f->headline, headline);
}

static void fails_as(struct finding *f, const char *type, const char *site, const char *message)
{
    case_print(&f->print, type, site);
    text_copy(f->message, sizeof f->message, message);
}

static void repro(struct finding *f, const char *command)
{
    f->repro.command = str_or_die(command);
    f->repro.blob = str_or_die("fd1:eNpVjUEKwjAQRa8Ssq4FV");
    f->repro.marker = str_or_die("@pytest.mark.flakedoctor_repro(\"fd1:eNpVjUEKwjAQRa8Ssq4FV\")");
}

static void after(struct finding *f, const char *label, unsigned runs, unsigned failed)
{
    struct row *r = evidence_add(&f->evidence, label, TIER_WARM);
    r->runs = runs;
    r->failed = failed;
}

void case_order(struct target *t, struct finding *f)
{
    case_target(t, "test_money.py::test_receipt_total");
    case_stats(f, 36, 22, 4.2);
    flaky(f, CLAIM_LATENT, "depends on the tests that run before it");
    case_baseline(f, 24, 0, 0, 0.142);
    after(f, "after 20 other tests", 2, 2);
    after(f, "after 10 other tests", 1, 0);
    after(f, "after 2 other tests", 2, 2);
    fails_as(f, "AssertionError", "test_money.py:93", "assert 12 == 10");
    struct cause *c = case_cause(f, FD_AXIS_ORDER, "after 2 tests", "alone");
    argv_add(&c->tests, "test_money.py::test_custom_currency_can_be_registered");
    argv_add(&c->tests, "test_money.py::test_rounding_can_be_set");
    case_reads(c, "value", "money.py", 34, "total");
    case_verified(f, 10, 0.7411, 0);
    repro(f, "pytest test_money.py::test_custom_currency_can_be_registered "
             "test_money.py::test_rounding_can_be_set test_money.py::test_receipt_total");
    argv_copy(&f->repro.order, &c->tests);
    argv_add(&f->repro.order, "test_money.py::test_receipt_total");
    setting_hold(&f->repro.setting, FD_AXIS_ORDER, "0-1");
}

void case_brittle(struct target *t, struct finding *f)
{
    case_target(t, "test_mime.py::test_upload_preview_is_text");
    case_stats(f, 30, 22, 4.0);
    flaky(f, CLAIM_OBSERVED, "depends on the tests that run before it");
    case_baseline(f, 24, 24, 0.858, 1);
    fails_as(f, "KeyError", "mime.py:8", "'text/plain'");
    struct cause *c = case_cause(f, FD_AXIS_ORDER, "alone", "after 1 test");
    argv_add(&c->tests, "test_mime.py::test_application_start_up");
    case_verified(f, 10, 0.7411, 0);
    repro(f, "pytest test_mime.py::test_upload_preview_is_text");
}

void case_two_causes(struct target *t, struct finding *f)
{
    case_target(t, "test_aliases.py::test_report_heading");
    case_stats(f, 31, 42, 9.9);
    flaky(f, CLAIM_LATENT,
          "depends on hash order (PYTHONHASHSEED) and on the tests that run before it");
    case_baseline(f, 24, 0, 0, 0.142);
    after(f, "after 4 other tests", 4, 1);
    after(f, "transplant: address", 3, 0);
    after(f, "transplant: hashseed", 3, 3);
    fails_as(f, "AssertionError", "test_aliases.py:23", "");
    struct cause *c = case_cause(f, FD_AXIS_HASHSEED, "7433", "7444");
    case_reads(c, "value", "aliases.py", 12, "heading");
    struct cause *o = case_cause(f, FD_AXIS_ORDER, "after 1 test", "alone");
    argv_add(&o->tests, "test_aliases.py::test_second_alias_is_accepted");
    case_verified(f, 10, 0.7411, 0);
    repro(f, "PYTHONHASHSEED=7433 pytest test_aliases.py::test_second_alias_is_accepted "
             "test_aliases.py::test_report_heading");
}

void case_zone(struct target *t, struct finding *f)
{
    case_target(t, "test_importer.py::InvoiceImportTest::test_issue_time_is_epoch_seconds");
    case_stats(f, 330, 26, 11.3);
    flaky(f, CLAIM_LATENT, "depends on the time zone");
    case_baseline(f, 300, 0, 0, 0.0122);
    case_row(f, "provoke", FD_AXIS_ZONE, "America/New_York", 5, 5);
    fails_as(f, "AssertionError", "test_importer.py:21", "1700000000 != 1700018000");
    struct cause *c = case_cause(f, FD_AXIS_ZONE, "America/New_York", "UTC");
    case_reads(c, "mktime", "importer.py", 17, "issue_time");
    case_verified(f, 10, 0.7411, 0);
    repro(f, "TZ=America/New_York pytest "
             "test_importer.py::InvoiceImportTest::test_issue_time_is_epoch_seconds");
}

void case_async(struct target *t, struct finding *f)
{
    case_target(t, "test_bus.py::test_all_subscribers_get_the_event");
    case_stats(f, 340, 26, 31.7);
    flaky(f, CLAIM_LATENT, "depends on how fast the machine is");
    text_add(&f->explanation, "With delay:loop:6ms every turn of an event loop, every poll, ends 6 ms "
                              "late: so it is on a machine with much else to do.");
    case_baseline(f, 300, 0, 0, 0.0122);
    case_row(f, "provoke", FD_AXIS_TIMING, "delay:loop:6ms", 5, 5);
    fails_as(f, "AssertionError", "test_bus.py:30", "assert ['mail'] == ['mail', 'log']");
    struct cause *c = case_cause(f, FD_AXIS_TIMING, "delay:loop:6ms", "real");
    case_reads(c, "epoll_wait", "test_bus.py", 28, "test_all_subscribers_get_the_event");
    case_verified(f, 10, 0.7411, 0);
    repro(f, "LD_PRELOAD=libfd.so FD_DELAY=loop:6ms pytest "
             "test_bus.py::test_all_subscribers_get_the_event");
}
