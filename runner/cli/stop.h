#ifndef FR_CLI_STOP_H
#define FR_CLI_STOP_H
/* Ctrl-C: the first asks the engine to stop and says so, the second leaves at once. */

void stop_install(void);

#endif
