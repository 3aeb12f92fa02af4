/* Children that libc itself starts. Their exec happens inside libc, where no hook sees it, so the
 * environment is put right on the way in. */
#include "shim/acts.h"
#include "shim/child_env.h"
#include "shim/exec.h"
#include "shim/live.h"
#include "shim/real.h"
#include "shim/text.h"
#include "shim/way.h"
#include <alloca.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define PATH_ROOM 1024

#define SPAWN_ENV(envp, cover) \
    fd_child_env_build(envp, cover, fd_exec_ordinal(1), alloca(fd_child_env_size(envp)))

static enum fd_cover checked(const char *path)
{
    enum fd_cover c = path ? fd_elf_cover(AT_FDCWD, path) : FD_COVERED;
    fd_exec_report(path, c);
    return c;
}

FD_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *fa,
                          const posix_spawnattr_t *at, char *const argv[], char *const envp[])
{
    if (!fd_live_on())
        return REAL(posix_spawn)(pid, path, fa, at, argv, envp);
    FD_WAY(AT_FDCWD, path, FD_PROGRAM, "posix_spawn");
    enum fd_cover c = checked(path);
    fd_act_program(path, argv);
    return REAL(posix_spawn)(pid, path, fa, at, argv, SPAWN_ENV(envp, c));
}

FD_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *fa,
                           const posix_spawnattr_t *at, char *const argv[], char *const envp[])
{
    char buf[PATH_ROOM];
    if (!fd_live_on())
        return REAL(posix_spawnp)(pid, file, fa, at, argv, envp);
    if (fd_text_find(file, "/")) { /* the room lasts as long as the function */
        FD_WAY_OUT(AT_FDCWD, file, FD_PROGRAM, "posix_spawnp");
    }
    const char *found = fd_elf_which(file, environ, buf, sizeof buf);
    if (!found && (found = fd_way_which(file, environ, buf, sizeof buf)))
        file = found;
    enum fd_cover c = checked(found);
    fd_act_program(found, argv);
    return REAL(posix_spawnp)(pid, file, fa, at, argv, SPAWN_ENV(envp, c));
}

FD_EXPORT int system(const char *command)
{
    if (command && fd_live_on()) {
        fd_act_shell(command);
        fd_child_env_own(fd_exec_ordinal(1));
    }
    return REAL(system)(command);
}

FD_EXPORT FILE *popen(const char *command, const char *mode)
{
    if (command && fd_live_on()) {
        fd_act_shell(command);
        fd_child_env_own(fd_exec_ordinal(1));
    }
    return REAL(popen)(command, mode);
}
