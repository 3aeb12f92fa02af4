#include "shim/elf.h"
#include "shim/raw.h"
#include "shim/text.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPTS 4 /* the kernel follows as many interpreters of interpreters */

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#else
#define OUR_MACHINE EM_AARCH64
#endif

const char *fd_cover_words(enum fd_cover c)
{
    static const char *const words[] = {
        [FD_COVERED] = "executable",
        [FD_STATIC] = "static executable",
        [FD_OTHER_CLASS] = "32-bit executable",
        [FD_OTHER_MACHINE] = "executable for another machine",
        [FD_MUSL] = "executable of another C library",
        [FD_PRIVILEGED] = "setuid executable",
    };
    return words[c];
}

static bool read_at(int fd, void *buf, size_t n, uint64_t at)
{
    return FD_SYS4(SYS_pread64, fd, buf, n, at) == (long)n;
}

/* ld.so ignores LD_PRELOAD where the program gains rights by being run. */
static bool privileged(int fd)
{
    struct stat s;
    char caps[64];
    long uid = FD_SYS1(SYS_getuid, 0), gid = FD_SYS1(SYS_getgid, 0);
    if (FD_SYS2(SYS_fstat, fd, &s))
        return false;
    /* In a user namespace files of everybody else look like this user's. */
    bool nobody = uid == 65534;
    if ((s.st_mode & S_ISUID && (s.st_uid != (uid_t)uid || nobody)) ||
        ((s.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && s.st_gid != (gid_t)gid))
        return true;
    return uid && FD_SYS4(SYS_fgetxattr, fd, "security.capability", caps, sizeof caps) > 0;
}

static enum fd_cover interpreted(int fd, const Elf64_Ehdr *h)
{
    for (unsigned int i = 0; i < h->e_phnum && i < 128; i++) {
        Elf64_Phdr p;
        char path[128];
        if (!read_at(fd, &p, sizeof p, h->e_phoff + (uint64_t)i * h->e_phentsize))
            return FD_COVERED;
        if (p.p_type != PT_INTERP)
            continue;
        size_t n = p.p_filesz < sizeof path ? p.p_filesz : sizeof path - 1;
        if (!read_at(fd, path, n, p.p_offset))
            return FD_COVERED;
        path[n] = 0;
        return fd_text_find(path, "ld-musl") ? FD_MUSL
               : privileged(fd)              ? FD_PRIVILEGED
                                             : FD_COVERED;
    }
    return FD_STATIC;
}

/* "#!/usr/bin/env python3": the interpreter alone; what env starts, env's own exec hook sees. */
static bool script(char *head, long n, const char **ret)
{
    char *at = head + 2, *end;
    if (n < 3 || head[0] != '#' || head[1] != '!')
        return false;
    while (*at == ' ' || *at == '\t')
        at++;
    for (end = at; *end && *end != ' ' && *end != '\t' && *end != '\n'; end++)
        ;
    *end = 0;
    *ret = at;
    return *at != 0;
}

static enum fd_cover cover(int fd, int depth)
{
    union {
        Elf64_Ehdr h;
        char text[260];
    } head;
    const char *next;
    long n = FD_SYS4(SYS_pread64, fd, &head, sizeof head - 1, 0);
    if (n < 4)
        return FD_COVERED; /* exec itself will say what is wrong */
    head.text[n] = 0;
    if (depth < SCRIPTS && script(head.text, n, &next)) {
        long fd2 = FD_SYS4(SYS_openat, AT_FDCWD, next, O_RDONLY | O_CLOEXEC, 0);
        if (fd2 < 0)
            return FD_COVERED;
        enum fd_cover c = cover((int)fd2, depth + 1);
        (void)FD_SYS1(SYS_close, fd2);
        return c;
    }
    const unsigned char *id = head.h.e_ident;
    if (n < (long)sizeof head.h || id[0] != 0x7f || id[1] != 'E' || id[2] != 'L' || id[3] != 'F')
        return FD_COVERED;
    if (id[EI_CLASS] != ELFCLASS64)
        return FD_OTHER_CLASS;
    if (head.h.e_machine != OUR_MACHINE)
        return FD_OTHER_MACHINE;
    return interpreted(fd, &head.h);
}

enum fd_cover fd_elf_cover_fd(int fd)
{
    return cover(fd, 0);
}

enum fd_cover fd_elf_cover(int dirfd, const char *path)
{
    long fd = FD_SYS4(SYS_openat, dirfd, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return FD_COVERED; /* executable but not readable: nobody can tell */
    enum fd_cover c = cover((int)fd, 0);
    (void)FD_SYS1(SYS_close, fd);
    return c;
}

const char *fd_elf_which(const char *file, char *const *envp, char *buf, unsigned long size)
{
    if (fd_text_find(file, "/"))
        return file;
    const char *path = fd_text_env(envp, "PATH");
    path = path ? path : "/bin:/usr/bin";
    while (*file) {
        size_t n = 0;
        for (; *path && *path != ':'; path++)
            if (n + 1 < size)
                buf[n++] = *path;
        buf[n] = 0;
        struct fd_line l = {buf, size, n};
        fd_line_text(&l, n ? "/" : "");
        fd_line_text(&l, file);
        if (l.len + 1 < size && FD_SYS3(SYS_faccessat, AT_FDCWD, buf, X_OK) == 0)
            return buf;
        if (!*path++)
            break;
    }
    return NULL;
}
