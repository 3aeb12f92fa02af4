/* Replies of models: what is read from them, and what a hostile one can do. */
#include "../check.h"

#include "triage/reply.h"
#include "triage/wire.h"

static void reads(const char *reply, const char *category, const char *confidence,
                  const char *hypothesis)
{
    struct opinion v = {0};
    reply_read(reply, &v);
    CHECK_STR(category_words[v.category], category);
    CHECK_STR(confidence_words[v.confidence], confidence);
    CHECK_STR(v.hypothesis, hypothesis);
    opinion_done(&v);
}

#define UNREAD "the reply of the model could not be read"

TEST(an_object_is_found_in_prose_and_fences)
{
    reads("{\"category\":\"env\",\"confidence\":\"high\",\"hypothesis\":\"db\"}", "env", "high",
          "db");
    reads("```json\n{\"category\": \"flaky\", \"hypothesis\": \"race\"}\n```\nSure!", "flaky",
          "low", "race");
    reads("I think {\"category\":\"test_bug\",\"confidence\":\"medium\",\"hypothesis\":\"x\","
          "\"more\":{\"a\":[1]}} fits.", "test_bug", "medium", "x");
}

TEST(words_outside_the_enums_are_unknown_and_low)
{
    reads("{\"category\":\"cosmic\",\"confidence\":\"high\",\"hypothesis\":\"x\"}", "unknown",
          "low", "x");
    reads("{\"category\":\"env\",\"confidence\":\"certain\",\"hypothesis\":\"x\"}", "env", "low",
          "x");
    reads("{\"category\":3,\"confidence\":[],\"hypothesis\":{}}", "unknown", "low", "");
    reads("{\"category\":\"unknown\",\"confidence\":\"high\",\"hypothesis\":\"x\"}", "unknown",
          "high", "x");
}

TEST(what_says_nothing_is_unknown)
{
    static const char *const nothing[] = {"", "no idea", "{", "}", "}{", "{]}", "[1]", "null",
                                          "{\"category\":", "{\"a\" \"b\"}"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        reads(nothing[i], "unknown", "low", UNREAD);
}

TEST(texts_are_cleaned_and_cut)
{
    own_text struct text reply = {0};
    struct opinion v = {0};
    text_add(&reply, "{\"category\":\"env\",\"hypothesis\":\"\\u001b[2Jx\\u202e");
    for (int i = 0; i < 3000; i++)
        text_addc(&reply, 'y');
    text_add(&reply, "\",\"suggested_fix\":\"\"}");
    reply_read(text_str(&reply), &v);
    CHECK_EQ(strlen(v.hypothesis), OPINION_HYPOTHESIS_MAX);
    CHECK(text_starts(v.hypothesis, "xyyy") && text_ends(v.hypothesis, "y..."));
    CHECK(!v.fix);
    opinion_done(&v);
}

TEST(a_deep_or_endless_reply_costs_nothing)
{
    own_text struct text deep = {0};
    for (int i = 0; i < 200000; i++)
        text_add(&deep, "{\"a\":");
    text_addc(&deep, '}');
    reads(text_str(&deep), "unknown", "low", UNREAD);
    text_clear(&deep);
    while (deep.len < REPLY_MAX + 10)
        text_add(&deep, "{}");
    struct opinion v = {0};
    reply_read(text_str(&deep), &v);
    CHECK_EQ(v.category, CATEGORY_UNKNOWN);
    opinion_done(&v);
}

typedef int reader(const char *, struct opinion *, struct err *);

static void wire(reader *read, const char *body, const char *category)
{
    struct opinion v = {0};
    struct err e = {0};
    int got = read(body, &v, &e);
    CHECK_EQ(got, category ? 0 : -1);
    if (got == 0 && category)
        CHECK_STR(category_words[v.category], category);
    opinion_done(&v);
}

TEST(each_interface_has_its_own_form)
{
    wire(wire_anthropic_reply, "{\"content\":[{\"type\":\"text\",\"text\":\"hm\"},{\"type\":"
                               "\"tool_use\",\"input\":{\"category\":\"env\"}}]}", "env");
    wire(wire_anthropic_reply, "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"category\\\":"
                               "\\\"flaky\\\"}\"}]}", "flaky");
    wire(wire_anthropic_reply, "{\"content\":[]}", "unknown");
    wire(wire_anthropic_reply, "{\"error\":{}}", NULL);
    wire(wire_anthropic_reply, "[]", NULL);
    wire(wire_openai_reply, "{\"choices\":[{\"message\":{\"tool_calls\":[{\"function\":{"
                            "\"arguments\":\"{\\\"category\\\":\\\"env\\\"}\"}}]}}]}", "env");
    wire(wire_openai_reply, "{\"choices\":[{\"message\":{\"function_call\":{\"arguments\":{"
                            "\"category\":\"test_bug\"}}}}]}", "test_bug");
    wire(wire_openai_reply, "{\"choices\":[{\"message\":{\"content\":\"{\\\"category\\\":"
                            "\\\"flaky\\\"}\"}}]}", "flaky");
    wire(wire_openai_reply, "{\"choices\":[{\"message\":{\"content\":null}}]}", "unknown");
    wire(wire_openai_reply, "{\"choices\":[]}", NULL);
    wire(wire_openai_reply, "{\"choices\":{}}", NULL);
    wire(wire_openai_reply, "<html>", NULL);
}
