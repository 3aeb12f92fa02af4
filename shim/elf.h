#ifndef FD_ELF_H
#define FD_ELF_H
/* Can this executable be preloaded? Read from its header, scripts followed to their interpreter.
 * Raw system calls and the stack only: this runs in vfork children. */
enum fd_cover { FD_COVERED, FD_STATIC, FD_OTHER_CLASS, FD_OTHER_MACHINE, FD_MUSL, FD_PRIVILEGED };

enum fd_cover fd_elf_cover(int dirfd, const char *path);
enum fd_cover fd_elf_cover_fd(int fd);
const char *fd_cover_words(enum fd_cover c); /* "static executable" */

/* Where execvp would find `file`; NULL if nowhere or longer than `size`. */
const char *fd_elf_which(const char *file, char *const *envp, char *buf, unsigned long size);

#endif
