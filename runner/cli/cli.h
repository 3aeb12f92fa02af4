#ifndef FR_CLI_CLI_H
#define FR_CLI_CLI_H
/* The command line: the only floor that prints. One file for each command, cmd_NAME.c; a command
 * is a row of commands.def and a function here. */
#include "cli/options.h"
#include "cli/status.h"
#include "cli/term.h"

int cli_main(int argc, char **argv, char **env); /* the exit status */

enum status cmd_diagnose(const struct options *o, const struct term *t);
enum status cmd_axes(const struct options *o, const struct term *t);
enum status cmd_env(const struct options *o, const struct term *t);
enum status cmd_session(const struct options *o, const struct term *t);
enum status cmd_replay(const struct options *o, const struct term *t);
enum status cmd_report(const struct options *o, const struct term *t);
enum status cmd_triage(const struct options *o, const struct term *t);
enum status cmd_ci(const struct options *o, const struct term *t);

#endif
