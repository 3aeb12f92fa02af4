#ifndef FR_EXEC_PAGE_H
#define FR_EXEC_PAGE_H
/* The runner's end of a page (shim/wire.h): the file `p` in a trial's folder, mapped shared. */
#include "base/err.h"
#include "model/trial.h"
#include "shim/wire.h"

struct page {
    struct fd_page *at; /* NULL: none */
};

/* Creates FOLDER/p with these settings, and FOLDER/h where HOME shall be private. */
int page_create(const char *folder, const struct fd_settings *s, struct page *ret, struct err *e);
void page_done(struct page *p); /* unmaps; the file goes with the folder */
#define own_page __attribute__((cleanup(page_done)))

/* Copies what the shim counted into an outcome. */
void page_read(const struct page *p, struct outcome *o);

/* What a watched run was seen to need; NULL: there is no page. */
const struct fd_seen *page_seen(const struct page *p);

/* Copies the lines that touched an axis; returns how many of at most `room`. */
size_t page_witness(const struct page *p, enum fd_axis a, struct witness *ret, size_t room);

#endif
