/* The wire format: where the runner, of whatever build, finds each field. */
#include "shim/wire.h"
#include "tests/check.h"
#include <stddef.h>

/* The settings grow with each axis that is held by libfd.so. */
#define SETTINGS_END (32 + sizeof(struct fd_settings))

TEST(offsets_before_the_counters)
{
    CHECK_EQ(offsetof(struct fd_page, magic), 0);
    CHECK_EQ(offsetof(struct fd_page, version), 4);
    CHECK_EQ(offsetof(struct fd_page, size), 8);
    CHECK_EQ(offsetof(struct fd_page, axes), 12);
    CHECK_EQ(offsetof(struct fd_page, release), 16);
    CHECK_EQ(offsetof(struct fd_page, settings), 32);
    CHECK_EQ(offsetof(struct fd_settings, time_ns), 16);
    CHECK_EQ(offsetof(struct fd_settings, time_at), 32);
    CHECK_EQ(offsetof(struct fd_settings, rng_seed), 40);
    CHECK_EQ(offsetof(struct fd_settings, newer_ns), 48);
    CHECK_EQ(offsetof(struct fd_settings, witness), 56);
    CHECK_EQ(offsetof(struct fd_settings, die_with_parent), 60);
    CHECK_EQ(offsetof(struct fd_settings, address_seed), 64);
    CHECK_EQ(offsetof(struct fd_settings, stack_limit), 72);
    CHECK_EQ(offsetof(struct fd_settings, hash_seed), 80);
    CHECK_EQ(offsetof(struct fd_settings, listing_seed), 88);
    CHECK_EQ(offsetof(struct fd_settings, listing), 96);
    CHECK_EQ(offsetof(struct fd_settings, fs), 100);
    CHECK_EQ(offsetof(struct fd_settings, net), 104);
    CHECK_EQ(offsetof(struct fd_settings, watch), 108);
    CHECK_EQ(offsetof(struct fd_settings, private_home), 112);
    CHECK_EQ(offsetof(struct fd_settings, speed), 272);
    CHECK_EQ(offsetof(struct fd_settings, coarse_ns), 280);
    CHECK_EQ(offsetof(struct fd_settings, stalls), 288);
    CHECK_EQ(offsetof(struct fd_settings, stall_seed), 296);
    CHECK_EQ(offsetof(struct fd_settings, stall_ns), 312);
    CHECK_EQ(offsetof(struct fd_page, attached), SETTINGS_END);
    CHECK_EQ(offsetof(struct fd_page, windows), SETTINGS_END + 4);
    CHECK_EQ(offsetof(struct fd_page, processes), SETTINGS_END + 8);
    CHECK_EQ(offsetof(struct fd_page, not_covered), SETTINGS_END + 12);
    CHECK_EQ(offsetof(struct fd_page, window_real_ns), SETTINGS_END + 16);
    CHECK_EQ(offsetof(struct fd_page, window_mono_ns), SETTINGS_END + 24);
    CHECK_EQ(offsetof(struct fd_page, window_reads), SETTINGS_END + 32);
    CHECK_EQ(offsetof(struct fd_page, at_open), SETTINGS_END + 40);
}

TEST(offsets_after_the_axes)
{
    size_t after = SETTINGS_END + 40 + 8 * FD_AXIS_COUNT;
    CHECK_EQ(offsetof(struct fd_page, slots), after);
    CHECK_EQ(offsetof(struct fd_page, sites), after + 4);
    CHECK_EQ(offsetof(struct fd_page, zones), after + 8);
    CHECK_EQ(offsetof(struct fd_page, zone), after + 24);
    CHECK_EQ(offsetof(struct fd_page, birth_real_ns), after + 24 + FD_ZONES * 48);
    CHECK_EQ(offsetof(struct fd_page, slot), SETTINGS_END + 600 + 8 * FD_AXIS_COUNT);
    CHECK_EQ(offsetof(struct fd_page, site), SETTINGS_END + 600 + 8 * FD_AXIS_COUNT * (FD_SLOTS + 1));
    CHECK_EQ(sizeof(struct fd_slot), 8 * FD_AXIS_COUNT);
    CHECK_EQ(offsetof(struct fd_site, hook), 32);
    CHECK_EQ(offsetof(struct fd_site, function), 56);
    CHECK_EQ(offsetof(struct fd_site, file), 104);
}

TEST(no_holes_at_the_end)
{
    CHECK_EQ(offsetof(struct fd_page, seen),
             offsetof(struct fd_page, site) + FD_SITES * sizeof(struct fd_site));
    CHECK_EQ(offsetof(struct fd_page, flow), offsetof(struct fd_page, seen) + sizeof(struct fd_seen));
    CHECK_EQ(offsetof(struct fd_page, flow) + FD_FLOWS * sizeof(struct fd_flow),
             sizeof(struct fd_page));
    CHECK_EQ(offsetof(struct fd_seen, port), 8);
    CHECK_EQ(offsetof(struct fd_seen, names), 264);
    CHECK_EQ(offsetof(struct fd_seen, reads), 272);
    CHECK_EQ(offsetof(struct fd_seen, name), 280);
    CHECK_EQ(offsetof(struct fd_seen, path), 1304);
    CHECK_EQ(offsetof(struct fd_seen, env), 1304 + FD_PATHS * FD_PATH_MAX);
    CHECK_EQ(offsetof(struct fd_seen, what),
             1304 + FD_PATHS * FD_PATH_MAX + FD_ENVS * FD_ENV_MAX);
}
