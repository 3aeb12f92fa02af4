#include "triage/provider.h"

#include <string.h>

const char *provider_variable(const struct provider_setup *s, const char *name)
{
    size_t n = strlen(name);
    for (char *const *v = s->env; v && *v; v++)
        if (strncmp(*v, name, n) == 0 && (*v)[n] == '=')
            return (*v)[n + 1] ? *v + n + 1 : NULL;
    return NULL;
}
