#include "model/setting.h"

#include "base/own.h"

#include <string.h>

static const char *const words[FD_AXIS_COUNT] = {
#define AXIS(ID, word) [FD_AXIS_##ID] = word,
#include "shim/axes.def"
#undef AXIS
};

const char *axis_word(enum fd_axis a)
{
    return words[a];
}

int axis_by_word(const char *word)
{
    for (int a = 0; a < FD_AXIS_COUNT; a++)
        if (strcmp(words[a], word) == 0)
            return a;
    return -1;
}

const char *axis_nearest(const char *w)
{
    const char *best = NULL;
    unsigned least = 3; /* more edits than this is another word, not a slip */
    for (int a = 0; a < FD_AXIS_COUNT; a++) {
        unsigned d = text_distance(w, words[a]);
        if (d < least || (d == least && !best)) {
            best = words[a];
            least = d;
        }
    }
    return best;
}

void setting_hold(struct setting *s, enum fd_axis a, const char *value)
{
    s->held |= axis_bit(a);
    text_copy(s->value[a], sizeof s->value[a], value);
}

void setting_free(struct setting *s, enum fd_axis a)
{
    s->held &= ~axis_bit(a);
    s->value[a][0] = 0;
}

bool setting_holds(const struct setting *s, enum fd_axis a)
{
    return (s->held & axis_bit(a)) != 0;
}

bool setting_same(const struct setting *a, const struct setting *b)
{
    if (a->held != b->held)
        return false;
    for (enum fd_axis i = 0; i < FD_AXIS_COUNT; i++)
        if (setting_holds(a, i) && strcmp(a->value[i], b->value[i]) != 0)
            return false;
    return true;
}

void setting_take(struct setting *to, const struct setting *from, uint32_t mask)
{
    for (enum fd_axis i = 0; i < FD_AXIS_COUNT; i++) {
        if (!(mask & axis_bit(i)))
            continue;
        if (setting_holds(from, i))
            setting_hold(to, i, from->value[i]);
        else
            setting_free(to, i);
    }
}

void setting_text(const struct setting *s, struct text *out)
{
    const char *comma = "";
    for (enum fd_axis i = 0; i < FD_AXIS_COUNT; i++) {
        if (!setting_holds(s, i))
            continue;
        text_addf(out, "%s%s=%s", comma, words[i], s->value[i]);
        comma = ",";
    }
}

int setting_parse(const char *text, struct setting *ret_setting, struct err *e)
{
    struct setting s = {0};
    own_mem char *copy = str_or_die(text);
    char *rest = copy;
    for (char *part = strsep(&rest, ","); part; part = strsep(&rest, ",")) {
        char *value = strchr(part, '=');
        if (!value || !value[1])
            return err_set(e, ERR_USAGE, "setting \"%s\": \"%s\" is not axis=value", text, part);
        *value++ = 0;
        int a = axis_by_word(part);
        if (a < 0)
            return err_set(e, ERR_USAGE, "setting \"%s\": no axis is called \"%s\"", text, part);
        if (setting_holds(&s, (enum fd_axis)a))
            return err_set(e, ERR_USAGE, "setting \"%s\": %s is given twice", text, part);
        if (strlen(value) >= SETTING_VALUE_MAX)
            return err_set(e, ERR_USAGE, "setting: the value of %s is too long", part);
        setting_hold(&s, (enum fd_axis)a, value);
    }
    *ret_setting = s;
    return 0;
}
