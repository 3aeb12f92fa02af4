#ifndef FR_EXEC_COMPILED_H
#define FR_EXEC_COMPILED_H

/* Of the changes a run made to folders shown copy-on-write (struct sandbox, upper), keeps what
 * Python compiled, the folders __pycache__, and removes all else: laid under later runs it saves
 * each the compiling, and no run sees another's files. */
void compiled_keep(const char *upper);

#endif
