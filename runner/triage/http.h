#ifndef FR_TRIAGE_HTTP_H
#define FR_TRIAGE_HTTP_H
/* One POST. The certificate and the name of the host are always verified; redirects are not
 * followed, for they would carry a key to somebody else; no answer is longer than HTTP_MOST; the
 * deadline holds for all of it: name, connection, handshake, headers, body.
 *
 * libcurl is loaded when the first provider needs it: with its own libraries it would cost every
 * start of the program 10 ms. */
#include <stdint.h>

#include "base/argv.h"
#include "base/err.h"
#include "base/text.h"
#include "triage/provider.h"

#define HTTP_MOST (1 << 20) /* bytes of a reply */

struct http; /* keeps its connection between calls */

int http_new(struct http **ret, struct err *e); /* -1: libcurl is not there */
struct http *http_free(struct http *h);         /* NULL */

struct http_request {
    const char *url, *body;
    const struct argv *headers;
    const char *ca;      /* a file of certificates to trust instead of the system's; NULL: those */
    int64_t deadline_ns; /* monotonic */
};

/* The body of an answer with status 200. Any other is an error that quotes it. */
enum asked http_post(struct http *h, const struct http_request *r, struct text *reply,
                     struct err *e);

#endif
