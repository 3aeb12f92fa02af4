/* Pytest's own words and Python's stacks, cut down to what helps. */
#include "check.h"

#include "live/said.h"
#include "live/stack.h"

static void said_is(const char *output, const char *want)
{
    own_text struct text got = {0};
    said_by_pytest(output, &got);
    CHECK_STR(text_str(&got), want);
}

TEST(a_missing_file_is_told_in_one_line)
{
    said_is("ERROR: file or directory not found: nofile.py\n\n"
            "===== test session starts =====\ncollected 0 items\n\n===== no tests ran =====\n",
            "ERROR: file or directory not found: nofile.py");
}

TEST(a_collection_error_is_told_without_frames)
{
    said_is("===== ERRORS =====\n_____ ERROR collecting test_a.py _____\n"
            "/x/_pytest/python.py:528: in importtestmodule\n    mod = import_path(\n"
            "E     File \"/p/test_a.py\", line 1\nE       def test_ok(:\n"
            "E   SyntaxError: invalid syntax\n===== short test summary info =====\nERROR test_a.py\n",
            "ERROR collecting test_a.py\nFile \"/p/test_a.py\", line 1\ndef test_ok(:\n"
            "SyntaxError: invalid syntax");
}

TEST(stderr_that_comes_first_does_not_hide_the_reason)
{
    said_is("ERROR: found no collectors for /p/test_a.py::test_ok\n"
            "_____ ERROR collecting test_a.py _____\nE   ModuleNotFoundError: No module named 'x'\n",
            "ERROR collecting test_a.py\nModuleNotFoundError: No module named 'x'");
}

TEST(an_internal_error_is_told_by_its_last_line)
{
    said_is("INTERNALERROR> Traceback (most recent call last):\n"
            "INTERNALERROR>   File \"/x/_pytest/main.py\", line 1\n"
            "INTERNALERROR> ValueError: from a hook\n\n===== no tests ran =====\n",
            "pytest's own error: ValueError: from a hook");
}

TEST(where_nothing_is_explained_the_last_line_stands)
{
    said_is("===== test session starts =====\ncollected 3 items / 3 deselected\n\n"
            "===== 3 deselected in 0.01s =====\n",
            "3 deselected in 0.01s");
    said_is("", "");
}

TEST(a_stack_keeps_the_projects_frames_and_what_they_wait_in)
{
    own_text struct text got = {0};
    stack_tidy("Thread 0x01 (most recent call first):\n"
               "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
               "  File \"/p/pump.py\", line 15 in wait_primed\n"
               "  File \"/v/site-packages/_pytest/python.py\", line 195 in pytest_pyfunc_call\n"
               "  File \"/v/bin/pytest\", line 8 in <module>\n",
               "/p", &got);
    CHECK_STR(text_str(&got), "Thread 0x01 (most recent call first):\n"
                              "File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
                              "File \"pump.py\", line 15 in wait_primed\n");
}
