/* Files instead of a fuzzer: each argument is one input. */
#include "fuzz.h"

#include "base/fdio.h"

#define INPUT_MOST (1 << 24)

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        own_text struct text t = {0};
        struct err e = {0};
        if (fdio_read_file(argv[i], INPUT_MOST, &t, &e) < 0) {
            fprintf(stderr, "%s\n", e.what);
            return 1;
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text_str(&t), t.len);
    }
    printf("%d inputs\n", argc - 1);
    return argc < 2; /* nothing run is nothing shown */
}
