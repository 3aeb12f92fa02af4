/* Models behind HTTP: Anthropic's interface, OpenAI's and whatever speaks it, GigaChat. */
#include "triage/provider.h"

#include "base/clock.h"
#include "triage/http.h"
#include "triage/wire.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define TOKEN_SPARE_NS (60 * NS_PER_S) /* a token that ends sooner is fetched anew */

struct remote {
    struct http *http;
    char *base;          /* URL without the slash at its end */
    char *ca;            /* NULL: the system's */
    struct argv headers; /* with the key, unless it is fetched */
    char *auth, *secret; /* of GigaChat: where tokens are, what they are asked for with */
    char *scope;
    int64_t until_ns; /* of the token, since the epoch; 0: there is none */
};

static void close_remote(struct provider *p)
{
    struct remote *r = p->state;
    if (!r)
        return;
    http_free(r->http);
    free(r->base);
    free(r->ca);
    free(r->auth);
    free(r->secret);
    free(r->scope);
    argv_done(&r->headers);
    free(r);
    p->state = NULL;
}

static char *dup_or_null(const char *s)
{
    return s ? str_or_die(s) : NULL;
}

static int take_url(const struct provider_setup *s, const char *name, const char *other, char **ret,
                    struct err *e)
{
    const char *url = provider_variable(s, name);
    url = url ? url : other;
    if (!text_starts(url, "https://") && !text_starts(url, "http://"))
        return err_set(e, ERR_USAGE, "%s: \"%.100s\" is no URL of http or https", name, url);
    *ret = str_or_die(url);
    for (size_t n = strlen(*ret); n > 0 && (*ret)[n - 1] == '/'; n--)
        (*ret)[n - 1] = 0;
    return 0;
}

/* A key with a line break in it would be two headers. */
static int add_key(struct remote *r, const char *head, const char *key, const char *from,
                   struct err *e)
{
    for (const char *c = key; *c; c++)
        if (iscntrl((unsigned char)*c))
            return err_set(e, ERR_USAGE, "%s has a line break or a control character in it", from);
    argv_addf(&r->headers, "%s%s", head, key);
    return 0;
}

struct names { /* variables */
    const char *model, *model_default, *base, *base_default;
};

static struct remote *begin(const struct provider_setup *s, const struct names *v,
                            struct provider *p, struct err *e)
{
    const char *model = provider_variable(s, v->model);
    struct remote *r = mem_or_die(sizeof *r);
    p->state = r;
    text_copy(p->model, sizeof p->model, model ? model : v->model_default);
    argv_add(&r->headers, "Content-Type: application/json");
    argv_add(&r->headers, "Accept: application/json");
    argv_add(&r->headers, "Expect:"); /* no wait for a "100 Continue" */
    r->ca = dup_or_null(provider_variable(s, "SSL_CERT_FILE"));
    return take_url(s, v->base, v->base_default, &r->base, e) < 0 ? NULL : r;
}

static int give_up(struct provider *p)
{
    close_remote(p);
    return -1;
}

static int open_anthropic(const struct provider_setup *s, struct provider *p, struct err *e)
{
    static const struct names names = {"ANTHROPIC_MODEL", "claude-sonnet-5", "ANTHROPIC_BASE_URL",
                                       "https://api.anthropic.com"};
    const char *key = provider_variable(s, "ANTHROPIC_API_KEY");
    const char *token = provider_variable(s, "ANTHROPIC_AUTH_TOKEN");
    if (!key && !token) {
        err_set(e, ERR_USAGE,
                "the provider anthropic needs a key, and ANTHROPIC_API_KEY is not "
                "set");
        return err_hint(e, "set it, or ANTHROPIC_AUTH_TOKEN; \"fake\" is a provider without a key");
    }
    struct remote *r = begin(s, &names, p, e);
    if (!r)
        return give_up(p);
    argv_add(&r->headers, "anthropic-version: 2023-06-01");
    int bad = key ? add_key(r, "x-api-key: ", key, "ANTHROPIC_API_KEY", e)
                  : add_key(r, "Authorization: Bearer ", token, "ANTHROPIC_AUTH_TOKEN", e);
    return bad < 0 ? give_up(p) : 0;
}

/* A server of one's own may need no key; whoever names none asks OpenAI. */
static int open_openai(const struct provider_setup *s, struct provider *p, struct err *e)
{
    static const struct names names = {"OPENAI_MODEL", "gpt-4o-mini", "OPENAI_BASE_URL",
                                       "https://api.openai.com/v1"};
    const char *key = provider_variable(s, "OPENAI_API_KEY");
    if (!key && !provider_variable(s, "OPENAI_BASE_URL")) {
        err_set(e, ERR_USAGE, "the provider openai needs a key, and OPENAI_API_KEY is not set");
        return err_hint(e, "set it, or OPENAI_BASE_URL for a server that asks for none");
    }
    struct remote *r = begin(s, &names, p, e);
    if (!r || (key && add_key(r, "Authorization: Bearer ", key, "OPENAI_API_KEY", e) < 0))
        return give_up(p);
    return 0;
}

static int open_gigachat(const struct provider_setup *s, struct provider *p, struct err *e)
{
    static const struct names names = {"GIGACHAT_MODEL", "GigaChat", "GIGACHAT_BASE_URL",
                                       "https://gigachat.devices.sberbank.ru/api/v1"};
    const char *secret = provider_variable(s, "GIGACHAT_CREDENTIALS");
    const char *token = provider_variable(s, "GIGACHAT_ACCESS_TOKEN");
    const char *scope = provider_variable(s, "GIGACHAT_SCOPE");
    const char *ca = provider_variable(s, "GIGACHAT_CA_BUNDLE_FILE");
    if (!secret && !token) {
        err_set(e, ERR_USAGE,
                "the provider gigachat needs a key, and GIGACHAT_CREDENTIALS is not "
                "set");
        return err_hint(e, "set it, or GIGACHAT_ACCESS_TOKEN");
    }
    struct remote *r = begin(s, &names, p, e);
    if (!r || take_url(s, "GIGACHAT_AUTH_URL", "https://ngw.devices.sberbank.ru:9443/api/v2/oauth",
                       &r->auth, e) < 0)
        return give_up(p);
    if (ca) {
        free(r->ca);
        r->ca = str_or_die(ca);
    }
    r->scope = str_or_die(scope ? scope : "GIGACHAT_API_PERS");
    if (token)
        return add_key(r, "Authorization: Bearer ", token, "GIGACHAT_ACCESS_TOKEN", e) < 0
                   ? give_up(p)
                   : 0;
    r->secret = str_or_die(secret);
    return 0;
}

static enum asked post(struct remote *r, struct http_request *q, struct text *reply, struct err *e)
{
    q->ca = r->ca;
    if (!r->http && http_new(&r->http, e) < 0)
        return ASKED_FAILED;
    return http_post(r->http, q, reply, e);
}

struct talk {
    const char *path;
    void (*write)(const char *model, const struct inquiry *q, struct text *out);
    int (*read)(const char *body, struct opinion *ret, struct err *e);
};

static enum asked converse(struct provider *p, const struct talk *how, const struct inquiry *q,
                           struct opinion *ret, struct err *e)
{
    struct remote *r = p->state;
    own_text struct text url = {0}, body = {0}, reply = {0};
    text_addf(&url, "%s%s", r->base, how->path);
    how->write(p->model, q, &body);
    struct http_request h = {.url = text_str(&url),
                             .body = text_str(&body),
                             .headers = &r->headers,
                             .deadline_ns = q->deadline_ns};
    enum asked got = post(r, &h, &reply, e);
    if (got == ASKED_ANSWERED && how->read(text_str(&reply), ret, e) < 0)
        return ASKED_FAILED;
    return got;
}

static enum asked ask_anthropic(struct provider *p, const struct inquiry *q, struct opinion *ret,
                                struct err *e)
{
    static const struct talk how = {"/v1/messages", wire_anthropic, wire_anthropic_reply};
    return converse(p, &how, q, ret, e);
}

static enum asked ask_openai(struct provider *p, const struct inquiry *q, struct opinion *ret,
                             struct err *e)
{
    static const struct talk how = {"/chat/completions", wire_openai, wire_openai_reply};
    return converse(p, &how, q, ret, e);
}

/* A random UUID, version 4 (RFC 9562 §5.4). */
static void add_uuid(struct argv *headers)
{
    unsigned char b[16] = {0};
    (void)!getrandom(b, sizeof b, 0);
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    own_text struct text t = {0};
    for (size_t i = 0; i < sizeof b; i++)
        text_addf(&t, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
    argv_addf(headers, "RqUID: %s", text_str(&t));
}

static enum asked fetch_token(struct remote *r, int64_t deadline_ns, struct err *e)
{
    own_argv struct argv headers = {0};
    own_text struct text body = {0}, reply = {0}, token = {0};
    argv_add(&headers, "Content-Type: application/x-www-form-urlencoded");
    argv_add(&headers, "Accept: application/json");
    argv_addf(&headers, "Authorization: Basic %s", r->secret);
    add_uuid(&headers);
    text_addf(&body, "scope=%s", r->scope);
    struct http_request h = {
        .url = r->auth, .body = text_str(&body), .headers = &headers, .deadline_ns = deadline_ns};
    enum asked got = post(r, &h, &reply, e);
    if (got != ASKED_ANSWERED)
        return got;
    int64_t until = 0;
    if (wire_token(text_str(&reply), &token, &until, e) < 0)
        return ASKED_FAILED;
    if (r->until_ns)
        argv_pop(&r->headers); /* the old one is the last */
    if (add_key(r, "Authorization: Bearer ", text_str(&token), "the access token", e) < 0) {
        r->until_ns = 0;
        return ASKED_FAILED;
    }
    r->until_ns = until > 0 ? until : 1;
    return ASKED_ANSWERED;
}

static enum asked ask_gigachat(struct provider *p, const struct inquiry *q, struct opinion *ret,
                               struct err *e)
{
    static const struct talk how = {"/chat/completions", wire_gigachat, wire_openai_reply};
    struct remote *r = p->state;
    if (r->secret && r->until_ns < clock_wall_ns() + TOKEN_SPARE_NS) {
        enum asked got = fetch_token(r, q->deadline_ns, e);
        if (got != ASKED_ANSWERED)
            return got;
    }
    return converse(p, &how, q, ret, e);
}

const struct provider_kind provider_anthropic = {"anthropic", open_anthropic, ask_anthropic,
                                                 close_remote};
const struct provider_kind provider_openai = {"openai", open_openai, ask_openai, close_remote};
const struct provider_kind provider_gigachat = {"gigachat", open_gigachat, ask_gigachat,
                                                close_remote};
