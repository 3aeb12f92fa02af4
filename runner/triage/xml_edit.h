#ifndef FR_TRIAGE_XML_EDIT_H
#define FR_TRIAGE_XML_EDIT_H
/* Changes to a text of XML that leave every other byte of it as it was. Nothing here parses: the
 * places come from a parser that found the text well formed. Pure. */
#include <stdbool.h>

#include "base/text.h"

struct edit {
    size_t at, gone; /* so many bytes from there are replaced */
    char *put;       /* owned */
};
struct edits {
    struct edit *at;
    size_t n, room;
};
void edits_done(struct edits *d);
#define own_edits __attribute__((cleanup(edits_done)))

/* Copies `put`. Places must not overlap; of several at one place the earlier comes first. */
void edits_add(struct edits *d, size_t at, size_t gone, const char *put);
void edits_apply(struct edits *d, const char *text, size_t n, struct text *out);

/* Adds s as text or as the value of an attribute. What XML 1.0 has no place for becomes U+FFFD. */
struct xml_form {
    bool ascii; /* other characters become references, for a document that is not in UTF-8 */
    bool value; /* of an attribute, where a parser would make blanks of line breaks */
};
void xml_escape(const char *s, struct xml_form form, struct text *out);

/* `tag`: a start tag, "<name a='b' …>" or "<name …/>", n bytes. */
bool tag_is_empty(const char *tag, size_t n);

/* Its attributes as they stand there, with the white space before them. */
void tag_attributes(const char *tag, size_t n, struct text *out);

/* Copies the tag with a count taken off the attributes `failures` and `errors`, where they are
 * numbers. */
struct fewer {
    unsigned failures, errors;
};
void tag_count_down(const char *tag, size_t n, const struct fewer *by, struct text *out);

#endif
