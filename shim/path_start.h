#ifndef FD_PATH_START_H
#define FD_PATH_START_H
/* What the process knows of HOME and of the folders that stay, learnt at its start. */

/* First thing in every process: HOME and where it stands, or what its parent says they were. */
void fd_path_remember(char *const *envp);

/* The settings of fd_live.page are in force. `map`: the value of FD_FS_MAP, or NULL. */
void fd_path_start(char *const *envp, const char *map);

/* "NAME=value" texts by which a child knows the same HOME and project; i counts from 0 to NULL. */
const char *fd_path_entry(unsigned int i);

#endif
