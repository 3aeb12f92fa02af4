#ifndef FR_MODEL_BLOB_H
#define FR_MODEL_BLOB_H
/* A repro as one word that can be pasted: "fd1:" and, in base64url, the zlib-compressed JSON of
 * what was recorded. Decoding is strict: an unknown field or axis, a newer version, another tool's
 * blob or a damaged one is refused by name; a repro must never quietly do less than it claims. */
#include "base/argv.h"
#include "base/err.h"
#include "model/outcome.h"

struct blob {
    struct setting setting;
    struct fingerprint print; /* the failure it brings about */
    char nodeid[1024];
    char python[16]; /* "3.11" */
    char tool_version[16];
    struct argv order; /* node ids that run before the test, in this order; mostly none */
};

void blob_done(struct blob *b);
#define own_blob __attribute__((cleanup(blob_done)))

void blob_encode(const struct blob *b, struct text *out);
int blob_decode(const char *word, struct blob *ret_blob, struct err *e); /* blob_done() after */

#endif
