#include "cli/cli.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    return cli_main(argc, argv, environ);
}
