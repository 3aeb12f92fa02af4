#include "triage/redact_keep.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/own.h"
#include "base/text.h"

#define RANDOM_CHANGES .38 /* see keep_ordinary() */
#define LOWER_CHANGES  .25
#define LOWER_LEAST    24

static bool is_word(const char *s, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && strncasecmp(s, *words, n) == 0)
            return true;
    return false;
}

bool keep_none(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (islower((unsigned char)s[i]))
            return true;
    return false;
}

bool keep_scheme(const char *s, size_t n)
{
    static const char *const words[] = {"authentication", "authorization", "token",
                                        "tokens",         "credentials",   "scheme",
                                        "header",         "headers",       NULL};
    if (is_word(s, n, words) || (n > 5 && strncasecmp(s, "realm=", 6) == 0))
        return true;
    bool plain = true; /* lower case alone, with a capital at the beginning: English */
    for (size_t i = 0; i < n; i++)
        plain = plain && (islower((unsigned char)s[i]) || (i == 0 && isupper((unsigned char)*s)) ||
                          s[i] == '-' || (s[i] == '.' && i == n - 1));
    return plain && n < 16;
}

/* A name with dots, and then a call without a text in it: get_token(), os.environ.get( */
static bool is_call(const char *s, size_t n)
{
    size_t i = 0;
    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    while (i < n && (isalnum((unsigned char)s[i]) || s[i] == '_' || s[i] == '.'))
        i++;
    return i < n && (s[i] == '(' || s[i] == '[') &&
           (i + 1 == n || isalpha((unsigned char)s[i + 1]) || s[i + 1] == '_');
}

bool keep_value(const char *s, size_t n)
{
    static const char *const words[] = {"none",    "null",    "true",    "false", "str",
                                        "bytes",   "int",     "bool",    "any",   "optional",
                                        "object",  "self",    "=",       "...",   "required",
                                        "missing", "invalid", "expired", NULL};
    static const char *const quoted[] = {"\"", "'", NULL};
    while (n && (s[n - 1] == '.' || s[n - 1] == ':') && n > 3)
        n--;
    return n == 0 || is_word(s, n, words) || is_word(s, n, quoted) || is_call(s, n) || *s == '<' ||
           *s == '{' || *s == '(' || (*s == '[' && n == 1);
}

bool keep_sentence(const char *s, size_t n)
{
    size_t first = 0;
    while (first < n && !isspace((unsigned char)s[first]))
        first++;
    return keep_value(s, first);
}

bool keep_option(const char *s, size_t n)
{
    return keep_value(s, n) || (*s == '<' && s[n - 1] == '>');
}

bool keep_header(const char *s, size_t n)
{
    static const char *const words[] = {"bearer", "basic", "token", "none", "null", "header", NULL};
    return is_word(s, n, words);
}

bool keep_name(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isdigit((unsigned char)s[i]))
            return false;
    return true;
}

bool keep_number(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return false;
    return true;
}

static int kind_of(char c)
{
    return isupper((unsigned char)c)   ? 0
           : islower((unsigned char)c) ? 1
           : isdigit((unsigned char)c) ? 2
                                       : 3;
}

/* In a draw of base64 two neighbours that are letters or digits are of different kinds (upper,
 * lower, digit) in 62 of 100 places, with a standard deviation of 11 points at 20 characters; in
 * names and paths it is 10 to 30. In a draw of lower case and digits alone it is 40, with 10 at 24
 * characters. Hexadecimal is a hash as often as a secret, so it is left. */
bool keep_ordinary(const char *s, size_t n)
{
    size_t changes = 0, pairs = 0, of[4] = {0};
    bool hex = true;
    for (size_t i = 0; i < n; i++) {
        int kind = kind_of(s[i]), last = i > 0 ? kind_of(s[i - 1]) : 3;
        hex = hex && (isxdigit((unsigned char)s[i]) || s[i] == '-' || s[i] == '=');
        of[kind]++;
        if (kind == 3 || last == 3)
            continue;
        pairs++;
        changes += kind != last;
    }
    if (hex)
        return true;
    if (of[0] == 0 && of[3] == 0 && n >= LOWER_LEAST)
        return (double)changes < LOWER_CHANGES * (double)pairs;
    if (of[0] == 0 || of[1] == 0 || of[2] == 0)
        return true;
    return (double)changes < RANDOM_CHANGES * (double)pairs;
}
