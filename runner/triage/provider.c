#include "triage/provider.h"

#include <string.h>

static const struct provider_kind *const kinds[] = {
    &provider_anthropic, &provider_command,    &provider_fake,
    &provider_gigachat,  &provider_oauth_fake, &provider_openai,
};

const struct provider_kind *provider_find(const struct provider_setup *s)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]->word);
        bool open = kinds[i]->word[n - 1] == ':';
        if (open ? strncmp(s->name, kinds[i]->word, n) == 0 && s->name[n]
                 : strcmp(s->name, kinds[i]->word) == 0)
            return kinds[i];
    }
    if (s->entry_points && argv_has(s->entry_points, s->name))
        return &provider_python;
    const char *colon = strchr(s->name, ':');
    return colon && colon > s->name && colon[1] ? &provider_python : NULL;
}

void provider_names(const struct provider_setup *s, struct text *out)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        text_addf(out, "%s%s%s", i ? ", " : "", kinds[i]->word,
                  kinds[i] == &provider_command ? "PROGRAM" : "");
    for (size_t i = 0; s->entry_points && i < s->entry_points->n; i++)
        text_addf(out, ", %s", s->entry_points->at[i]);
}

int provider_open(const struct provider_setup *s, struct provider *ret, struct err *e)
{
    *ret = PROVIDER_INIT;
    const struct provider_kind *kind = provider_find(s);
    if (!kind)
        return err_set(e, ERR_USAGE, "no provider is called \"%.80s\"", s->name);
    ret->kind = kind;
    if (kind->open(s, ret, e) == 0)
        return 0;
    ret->kind = NULL;
    return -1;
}

void provider_close(struct provider *p)
{
    if (p->kind && p->kind->close)
        p->kind->close(p);
    *p = PROVIDER_INIT;
}
