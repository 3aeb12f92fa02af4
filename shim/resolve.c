/* The resolver's own functions ask a name server, whatever the files say. Each has two names:
 * before glibc 2.34 its header renamed them. */
#include "shim/names.h"
#include "shim/real.h"
#include <errno.h>
#include <netdb.h>
#include <resolv.h>
#undef res_query
#undef res_search
#undef res_querydomain
#undef res_send
#undef res_nquery
#undef res_nsearch
#undef res_nquerydomain
#undef res_nsend

/* Nobody listens where the server should: the errno of a namespace of its own. */
static int no_server(void)
{
    fd_injected(FD_AXIS_NETWORK, ECONNREFUSED);
    errno = ECONNREFUSED;
    return -1;
}

static int no_answer(struct __res_state *state)
{
    h_errno = TRY_AGAIN;
    if (state)
        state->res_h_errno = TRY_AGAIN;
    return no_server();
}

static int no_such(void) /* nobody loaded libresolv, and its functions are not in this libc */
{
    errno = ENOSYS;
    return -1;
}

#define ASK(name, hook, params, args, host, refused)                      \
    FD_EXPORT int name params                                             \
    {                                                                     \
        if (fd_name_refused(hook, host))                                  \
            return refused;                                               \
        return REAL(name) ? FD_LOOK_UP(real_##name args) : no_such();     \
    }

#define ASK_TWICE(name, params, args, host, refused)            \
    ASK(res_##name, "res_" #name, params, args, host, refused)  \
    ASK(__res_##name, "res_" #name, params, args, host, refused)

ASK_TWICE(query, (const char *host, int class, int type, unsigned char *answer, int n),
          (host, class, type, answer, n), host, no_answer(NULL))
ASK_TWICE(search, (const char *host, int class, int type, unsigned char *answer, int n),
          (host, class, type, answer, n), host, no_answer(NULL))
ASK_TWICE(querydomain, (const char *host, const char *domain, int class, int type,
                        unsigned char *answer, int n),
          (host, domain, class, type, answer, n), host, no_answer(NULL))
ASK_TWICE(nquery, (struct __res_state *state, const char *host, int class, int type,
                   unsigned char *answer, int n),
          (state, host, class, type, answer, n), host, no_answer(state))
ASK_TWICE(nsearch, (struct __res_state *state, const char *host, int class, int type,
                    unsigned char *answer, int n),
          (state, host, class, type, answer, n), host, no_answer(state))
ASK_TWICE(nquerydomain, (struct __res_state *state, const char *host, const char *domain,
                         int class, int type, unsigned char *answer, int n),
          (state, host, domain, class, type, answer, n), host, no_answer(state))
ASK_TWICE(send, (const unsigned char *message, int len, unsigned char *answer, int n),
          (message, len, answer, n), NULL, no_server())
ASK_TWICE(nsend, (struct __res_state *state, const unsigned char *message, int len,
                  unsigned char *answer, int n),
          (state, message, len, answer, n), NULL, no_server())
