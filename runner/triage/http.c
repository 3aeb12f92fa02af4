#include "triage/http.h"

#include "base/clock.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY     "libcurl.so.4"
#define QUOTED_MOST 300 /* bytes of a body that is quoted in an error */

/* What we need of the library. */
#define CALLS(X)                                                                                   \
    X(global_init)                                                                                 \
    X(easy_init)                                                                                   \
    X(easy_setopt)                                                                                 \
    X(easy_perform)                                                                                \
    X(easy_getinfo)                                                                                \
    X(easy_reset)                                                                                  \
    X(easy_cleanup)                                                                                \
    X(easy_strerror)                                                                               \
    X(slist_append)                                                                                \
    X(slist_free_all)
/* Some of them are macros with arguments too; by their bare names they are the functions. */
struct calls {
#define X(name) __typeof__(curl_##name) *name;
    CALLS(X)
#undef X
};

struct http {
    void *library;
    struct calls curl;
    CURL *easy;
};

static int find_calls(struct http *h, struct err *e)
{
#define X(call)                                                                                    \
    *(void **)&h->curl.call = dlsym(h->library, "curl_" #call);                                    \
    if (!h->curl.call)                                                                             \
        return err_set(e, ERR_SETUP, LIBRARY " has no curl_" #call);
    CALLS(X)
#undef X
    return 0;
}

int http_new(struct http **ret, struct err *e)
{
    struct http *h = mem_or_die(sizeof *h);
    h->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!h->library) {
        http_free(h);
        err_set(e, ERR_SETUP, LIBRARY " is needed to reach a model, and it cannot be loaded");
        return err_hint(e, "install libcurl (on Debian: apt-get install libcurl4)");
    }
    if (find_calls(h, e) < 0) {
        http_free(h);
        return -1;
    }
    if (h->curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
        h->easy = h->curl.easy_init();
    if (!h->easy) {
        http_free(h);
        return err_set(e, ERR_SETUP, LIBRARY " does not start");
    }
    *ret = h;
    return 0;
}

/* The library stays loaded: its threads that look up names may still run. */
struct http *http_free(struct http *h)
{
    if (h && h->easy)
        h->curl.easy_cleanup(h->easy);
    free(h);
    return NULL;
}

static size_t take(char *bytes, size_t size, size_t n, void *to)
{
    struct text *reply = to;
    if (reply->len + size * n > HTTP_MOST)
        return 0; /* an error to libcurl */
    text_addn(reply, bytes, size * n);
    return size * n;
}

static int prepare(struct http *h, const struct http_request *r, struct curl_slist *headers,
                   struct text *reply)
{
    CURL *c = h->easy;
    int64_t left_ms = clock_poll_ms(r->deadline_ns);
    CURLcode bad = CURLE_OK;
#define SET(option, value) (bad |= h->curl.easy_setopt(c, option, value))
    h->curl.easy_reset(c);
    SET(CURLOPT_URL, r->url);
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
#else
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    SET(CURLOPT_FOLLOWLOCATION, 0L);
    SET(CURLOPT_SSL_VERIFYPEER, 1L);
    SET(CURLOPT_SSL_VERIFYHOST, 2L);
    if (r->ca)
        SET(CURLOPT_CAINFO, r->ca);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_TIMEOUT_MS, (long)(left_ms > 0 ? left_ms : 1));
    SET(CURLOPT_CONNECTTIMEOUT_MS, (long)(left_ms > 0 ? left_ms : 1));
    SET(CURLOPT_POSTFIELDS, r->body);
    SET(CURLOPT_POSTFIELDSIZE, (long)strlen(r->body));
    SET(CURLOPT_HTTPHEADER, headers);
    SET(CURLOPT_WRITEFUNCTION, take);
    SET(CURLOPT_WRITEDATA, reply);
    SET(CURLOPT_USERAGENT, "flaky-repro");
#if LIBCURL_VERSION_NUM >= 0x075700
    /* An older library of that name knows it not, and a slow name is waited for then. */
    (void)h->curl.easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
#endif
#undef SET
    return bad == CURLE_OK ? 0 : -1;
}

static enum asked judge_status(long status, const struct text *reply, struct err *e)
{
    own_text struct text quoted = {0};
    if (status == 200)
        return ASKED_ANSWERED;
    opinion_clean(text_str(reply), QUOTED_MOST, &quoted);
    err_set(e, ERR_SYSTEM, "HTTP status %ld%s%s%s", status,
            status >= 300 && status < 400 ? " (a redirect, which is not followed)" : "",
            quoted.len ? ": " : "", text_str(&quoted));
    return ASKED_FAILED;
}

static enum asked failed(struct http *h, CURLcode code, struct err *e)
{
    if (code == CURLE_OPERATION_TIMEDOUT)
        return ASKED_LATE;
    if (code == CURLE_WRITE_ERROR)
        err_set(e, ERR_SYSTEM, "the reply is longer than %d KiB", HTTP_MOST / 1024);
    else
        err_set(e, ERR_SYSTEM, "%s", h->curl.easy_strerror(code));
    return ASKED_FAILED;
}

enum asked http_post(struct http *h, const struct http_request *r, struct text *reply,
                     struct err *e)
{
    struct curl_slist *headers = NULL;
    long status = 0;
    for (size_t i = 0; i < r->headers->n; i++)
        headers = h->curl.slist_append(headers, r->headers->at[i]);
    int ready = prepare(h, r, headers, reply);
    CURLcode code = ready == 0 ? h->curl.easy_perform(h->easy) : CURLE_FAILED_INIT;
    if (code == CURLE_OK)
        code = h->curl.easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    h->curl.easy_reset(h->easy); /* it must not keep what ends here */
    h->curl.slist_free_all(headers);
    return code == CURLE_OK ? judge_status(status, reply, e) : failed(h, code, e);
}
