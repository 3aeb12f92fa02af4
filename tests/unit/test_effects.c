/* Which effects of a first run hold a test back, and which are harmless. */
#include "check.h"

#include "live/effects.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct fd_seen seen;

static void did(uint32_t kind, const char *text)
{
    struct fd_act *a = &seen.act[seen.acts++];
    *a = (struct fd_act){.hash = 1, .kind = kind};
    text_copy(a->text, sizeof a->text, text);
}

/* Words with blanks between; "_" stands for a blank within one. */
static void start(const char *words)
{
    char text[FD_PATH_MAX];
    text_copy(text, sizeof text, words);
    for (char *c = text; *c; c++)
        *c = *c == ' ' ? '\x1f' : *c == '_' ? ' ' : *c;
    did(FD_ACT_PROGRAM, text);
}

static size_t held(const char *words, struct effect *ret)
{
    seen = (struct fd_seen){0};
    start(words);
    return effects_find(&seen, false, ret);
}

TEST(programs_that_only_answer_are_harmless)
{
    static const char *const harmless[] = {
        "/usr/bin/true", "/bin/false", "/usr/bin/git rev-parse --show-toplevel",
        "/usr/bin/git -C /x -c a=b describe --tags", "/usr/bin/git --version",
        "/usr/bin/gcc -o a a.c", "/usr/bin/x86_64-linux-gnu-gcc-12 -c a.c", "/usr/bin/clang++-14 a.cc",
        "/usr/lib/gcc/x86_64-linux-gnu/12/cc1 -quiet", "/usr/bin/ld.gold -o a", "/sbin/ldconfig -p",
        "/usr/bin/uname -p", "/usr/bin/python3.11 -c pass", "/opt/v/bin/python -m x",
        "/usr/bin/docker --version", "/bin/sh -c true", "/bin/sh -c git_rev-parse_HEAD",
        "/bin/bash -c exit_3"};
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        struct effect e[EFFECTS_MAX] = {0};
        size_t n = held(harmless[i], e);
        if (n)
            printf("held: %s\n", harmless[i]);
        CHECK(n == 0);
    }
}

TEST(other_programs_are_not)
{
    static const char *const harmful[] = {
        "/usr/bin/touch x", "/usr/bin/git push", "/usr/bin/git -C /x commit -m describe",
        "/usr/bin/git", "/bin/sh -c echo_x", "/bin/sh -c true;rm_-rf_x", "/bin/sh -c true>x",
        "/bin/sh -c $(rm)", "/bin/sh script.sh", "/bin/sh", "/usr/bin/curl http://192.0.2.1/",
        "/usr/bin/gccrm x", "/usr/bin/docker --version run", "/bin/sh -c PATH=x_true"};
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        struct effect e[EFFECTS_MAX] = {0};
        size_t n = held(harmful[i], e);
        if (n != 1)
            printf("not held: %s\n", harmful[i]);
        CHECK(n == 1);
        CHECK_STR(e[0].kind, "program");
    }
}

TEST(a_command_that_was_cut_is_not_known)
{
    struct effect e[EFFECTS_MAX];
    char text[FD_PATH_MAX] = "/bin/sh -c git_rev-parse_";
    memset(text + strlen(text), 'x', sizeof text - 1 - strlen(text));
    text[sizeof text - 1] = 0;
    CHECK(held(text, e) == 1);
}

TEST(a_script_of_python_is_python)
{
    struct effect e[EFFECTS_MAX];
    char path[] = "/tmp/fr-effects-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    CHECK(write(fd, "#!/usr/bin/env python3\n", 23) == 23);
    CHECK(held(path, e) == 0);
    CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, "#!/bin/sh\n", 10, 0) == 10);
    CHECK(held(path, e) == 1);
    close(fd);
    unlink(path);
}

TEST(they_are_told_as_they_were)
{
    struct effect e[EFFECTS_MAX];
    seen = (struct fd_seen){0};
    did(FD_ACT_OUTSIDE, "192.0.2.1:80");
    start("/usr/bin/touch a_b it's");
    did(FD_ACT_WRITES, "/srv/x");
    did(FD_ACT_REMOVES, "/srv/x");
    CHECK(effects_find(&seen, false, e) == 4);
    CHECK_STR(e[0].kind, "outside");
    CHECK_STR(e[0].what, "192.0.2.1:80");
    CHECK_STR(e[1].what, "/usr/bin/touch 'a b' 'it's'");
    CHECK_STR(e[2].kind, "written");
    CHECK_STR(e[3].kind, "removed");
    CHECK(effects_find(&seen, true, e) == 3); /* what a command starts is a part of it */
    CHECK(effects_find(NULL, false, e) == 0);
}

TEST(what_was_lost_counts_as_harmful)
{
    struct effect e[EFFECTS_MAX];
    seen = (struct fd_seen){0};
    for (int i = 0; i < FD_ACTS; i++)
        start("/usr/bin/true");
    CHECK(effects_find(&seen, false, e) == 0);
    seen.acts++;
    CHECK(effects_find(&seen, false, e) == 1);
    seen.acts = 40;
    for (int i = 0; i < 40; i++)
        seen.act[i].kind = FD_ACT_WRITES;
    CHECK(effects_find(&seen, false, e) == EFFECTS_MAX);
}
