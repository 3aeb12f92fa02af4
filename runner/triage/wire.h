#ifndef FR_TRIAGE_WIRE_H
#define FR_TRIAGE_WIRE_H
/* The bodies that the models' interfaces take and give. Each is asked to call the function
 * record_verdict; one that answers in prose is read with patience (reply.h). Pure. */
#include "triage/provider.h"

void wire_anthropic(const char *model, const struct inquiry *q, struct text *out);
void wire_openai(const char *model, const struct inquiry *q, struct text *out);
void wire_gigachat(const char *model, const struct inquiry *q, struct text *out);

/* -1: this is no reply of such an interface. */
int wire_anthropic_reply(const char *body, struct opinion *ret, struct err *e);
int wire_openai_reply(const char *body, struct opinion *ret, struct err *e); /* GigaChat's too */

/* A token and, in ns since the epoch, when it ends. */
int wire_token(const char *body, struct text *ret_token, int64_t *ret_until_ns, struct err *e);

#endif
