#ifndef FD_VALUE_H
#define FD_VALUE_H
/* The text of the values of address, listing, fs and network: one grammar for the runner, the
 * canonical setting and the FD_* variables (time has its own, instant.h).
 *
 *   address = seed
 *   listing = "sorted" | "reverse" | seed
 *   fs      = "real" | "private" [ ":" absolute path ]    (under a page the runner has the path)
 *           | "mtime:" time | "plant:" kind ":" path | "leftovers" | "ro" | "full:" size
 *   network = "open" | "block" | "refuse" | "nxdomain" | "nohost" | "delay:" time
 *           | "chunk:" size | "segment" | "whole" | "reset" | "busy:" port
 *
 * A time is a number with "ms" or "s", a size one with nothing, "K", "M" or "G", both from 1 on; a
 * kind is "empty", "unreadable" or "malformed"; a path may begin with "~/".
 *
 * A seed is decimal or 0x-hexadecimal, below 2^64. Each function fills its fields of *s and sets
 * its held bit; returns 0, or -1 with *s untouched. Pure; safe in a signal handler. */
#include "shim/wire.h"

int fd_address_parse(const char *text, struct fd_settings *s);
int fd_listing_parse(const char *text, struct fd_settings *s);
int fd_fs_parse(const char *text, struct fd_settings *s);
int fd_net_parse(const char *text, struct fd_settings *s);

#endif
