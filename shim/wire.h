#ifndef FD_WIRE_H
#define FD_WIRE_H
/* The wire between the runner and libfd.so: environment names, the page, its version.
 *
 * One page is one trial. The runner creates a file of sizeof(struct fd_page) bytes, fills in
 * `settings`, and names the file in FD_PAGE; every process of the trial maps it shared. Below
 * `settings` the shim writes and the runner reads, also after a crash or a kill. All fields are
 * fixed-width and both sides check magic, version and size before they believe a byte.
 *
 * Who writes: `settings` is written before the first process starts and never again. Counters are
 * written by any thread of any process of the trial: slots without atomics (one thread each, the
 * last slot shared and atomic), everything else with atomics. Times are nanoseconds. */
#include <stdint.h>

#define FD_ENV_PAGE "FD_PAGE"       /* path of the page: the settings come from there */
#define FD_ENV_CTL "FD_CTL"         /* putenv("FD_CTL=attach:PATH") swaps the page; own:1, own:0:
                                     * the test's own code runs; "collect": the project's modules
                                     * come next; "seen:zone": noted by Python */
#define FD_ENV_SETTING "FD_SETTING" /* by hand: a whole setting as text */
#define FD_ENV_TIME "FD_TIME"
#define FD_ENV_TIME_FLOW "FD_TIME_FLOW"
#define FD_ENV_RNG "FD_RNG"
#define FD_ENV_ADDRESS "FD_ADDRESS"
#define FD_ENV_LISTING "FD_LISTING"
#define FD_ENV_GC "FD_GC"
#define FD_ENV_LIMITS "FD_LIMITS"
#define FD_ENV_FS "FD_FS"
#define FD_ENV_FS_MAP "FD_FS_MAP"
#define FD_ENV_NET "FD_NET"
#define FD_ENV_NET_ALLOW "FD_NET_ALLOW"
#define FD_ENV_SPEED "FD_SPEED"
#define FD_ENV_SLEEP "FD_SLEEP"
#define FD_ENV_DELAY "FD_DELAY"
#define FD_ENV_COARSE "FD_COARSE"
#define FD_ENV_LOG "FD_LOG" /* by hand: the file that witness lines are appended to */
#define FD_ENV_SINCE "FD_SINCE" /* by hand, put by exec: "MONO/REAL/NEWER/NODE" of the window */
#define FD_ENV_HOME "FD_HOME"       /* put by exec: HOME as the trial's first process had it */
#define FD_ENV_STAY "FD_STAY" /* put by exec: the folders whose files stay real, "/a:/b" */
#define FD_ENV_ORDINAL "FD_ORDINAL" /* under a page, put by exec: the new process's ordinal, hex */
#define FD_ENV_CURRENT_TEST "PYTEST_CURRENT_TEST" /* setting it to "... (setup)" opens the window */

#define FD_MAGIC 0x66642d70u /* "fd-p" */
#define FD_VERSION 6u
#define FD_RELEASE_MAX 16 /* of FR_VERSION, which the build defines: the one version of all parts */
#define FD_RELEASE_MARK "libfd.so of flaky-repro " /* stands in the library before its release */
#define FD_EXIT 125 /* a shim that cannot do its work ends the process with this status */

enum fd_axis {
#define AXIS(ID, word) FD_AXIS_##ID,
#include "axes.def"
#undef AXIS
    FD_AXIS_COUNT
};

enum fd_time_mode {
    FD_TIME_REAL,    /* the wall clock is left alone */
    FD_TIME_INSTANT, /* it shows time_ns when the window opens */
    FD_TIME_OFFSET,  /* it shows the real time plus time_ns, from process start */
    FD_TIME_NOW,     /* it shows the real time of the window's opening then; for freeze and step */
};

enum fd_time_flow {
    FD_FLOW_RUN,    /* runs on from there */
    FD_FLOW_FREEZE, /* stands still */
    FD_FLOW_STEP,   /* moves time_step_ns forward at each read */
    FD_FLOW_AT,     /* runs from time_step_ns below time_ns; the read after time_at reads finds it
                     * at time_ns, unless it has come there by itself: they straddle time_ns */
};

#define FD_AT_LEAD_NS INT64_C(100000000)

enum fd_listing { /* the order in which a directory's entries are read */
    FD_LISTING_SEEDED, /* by a hash of the name, keyed with listing_seed */
    FD_LISTING_SORTED, /* by name */
    FD_LISTING_REVERSE,
    FD_LISTING_OLDEST, /* by inode: as they were made, on most file systems */
    FD_LISTING_NEWEST,
};

enum fd_fs {
    FD_FS_REAL,    /* files are left alone */
    FD_FS_PRIVATE, /* what lies below HOME is looked for in a folder of the run's own */
    FD_FS_MTIME,   /* times of files show in steps of mtime_ns */
    FD_FS_PLANT,   /* at plant_path there is a file, though there is none */
    FD_FS_LEFTOVERS, /* the test ran before on the same tree; by hand: nothing */
    FD_FS_READONLY,  /* the folder that the first process stood in, and what lies below */
    FD_FS_FULL,      /* the folder for temporary files has room for full_bytes more */
    FD_FS_COUNT
};

enum fd_plant { FD_PLANT_EMPTY, FD_PLANT_UNREADABLE, FD_PLANT_MALFORMED, FD_PLANT_COUNT };

enum fd_net {
    FD_NET_OPEN,  /* the network is left alone */
    FD_NET_BLOCK, /* only this machine is reached: loopback and AF_UNIX */
    FD_NET_REFUSE,   /* other machines refuse connections */
    FD_NET_NXDOMAIN, /* name servers know no name */
    FD_NET_NOHOST,   /* nor does this machine know its own */
    /* From here on loopback and AF_UNIX are included: streams, in the test's window. */
    FD_NET_DELAY,   /* each answer comes net_delay_ns later */
    FD_NET_CHUNK,   /* a receive returns at most net_number bytes */
    FD_NET_SEGMENT, /* a receive returns at most what one send wrote */
    FD_NET_WHOLE,   /* a receive waits until nothing more comes */
    FD_NET_RESET,   /* the second receive of a connection ends in ECONNRESET */
    FD_NET_BUSY,    /* port net_number is taken */
    FD_NET_COUNT
};

/* The places at which a slow machine keeps a program waiting (timing). */
enum fd_stall {
    FD_STALL_THREAD, /* a thread that was started: before its first line */
    FD_STALL_WAKE,   /* after a lock, a condition or a sleep: before it goes on */
    FD_STALL_LOOP,   /* after poll, select and epoll_wait, the heart of an event loop */
    FD_STALL_IO,     /* before a read, a connection, a message */
    FD_STALL_COUNT
};
#define FD_SPEED_AS_EVER 1000u /* a thousandth is the unit of `speed` */
#define FD_SPEED_LEAST 10u
#define FD_STALLS_ALL ((1u << FD_STALL_COUNT) - 1)
enum fd_gc { /* Python's cyclic collector, from the window's opening on */
    FD_GC_ON,     /* left alone */
    FD_GC_OFF,
    FD_GC_EVERY,  /* everything made since is collected, again and again */
    FD_GC_SEEDED,
};

#define FD_PATH_MAX 160 /* of a path on the page; a longer one is cut */
#define FD_FOLDERS 8

struct fd_settings {
    uint32_t held;      /* bit n: axis n is held; an axis that is not held is left alone */
    uint32_t pytest;    /* 1: the window opens with PYTEST_CURRENT_TEST; 0: at the first call */
    uint32_t time_mode; /* enum fd_time_mode */
    uint32_t time_flow; /* enum fd_time_flow */
    int64_t time_ns;    /* since the epoch, or the offset */
    int64_t time_step_ns; /* of a step; the lead of `at` */
    uint64_t time_at; /* wall-clock reads inside the window before the boundary */
    uint64_t rng_seed;
    int64_t newer_ns; /* files stamped at or after this real instant move with the clock */
    uint32_t witness; /* 1: note which line of Python each touch comes from */
    uint32_t die_with_parent; /* 1: who attaches is killed when its parent dies */
    uint64_t address_seed;
    uint64_t stack_limit; /* soft, bytes, to be put back: raised to move libraries; or 0 */
    uint64_t hash_seed; /* of children that are not told by PYTHONHASHSEED */
    uint64_t listing_seed;
    uint32_t listing; /* enum fd_listing */
    uint32_t fs;      /* enum fd_fs */
    uint32_t net;     /* enum fd_net */
    uint32_t watch;   /* 1: note in `seen` what the run needs of its machine */
    /* Where FD_FS_PRIVATE looks; absolute. In a watched run with an empty HOME: the one it stands
     * for. */
    char private_home[FD_PATH_MAX];
    uint32_t speed;       /* clocks and timeouts run so many thousandths as fast; 0: as ever */
    uint32_t skip_sleeps; /* 1: a sleep ends at once and the clocks move by its length */
    int64_t coarse_ns;    /* clocks move in steps of so much; 0: as ever */
    uint32_t stalls;      /* bit n: enum fd_stall n is delayed */
    uint32_t stall_nth;   /* of the threads: this one alone, counted from 1; 0: all */
    uint64_t stall_seed;
    uint32_t stall_seeded; /* 1: by the seed, up to stall_ns; 0: by stall_ns each time */
    uint32_t one_core;     /* 1: all run on one core */
    int64_t stall_ns;
    uint32_t net_number; /* bytes of a chunk, or the port */
    uint32_t plant;      /* enum fd_plant */
    int64_t net_delay_ns;
    int64_t mtime_ns;
    uint64_t full_bytes;
    char plant_path[FD_PATH_MAX]; /* absolute, below HOME as "~/x", or from where the first process
                                   * stands */
    uint32_t gc;       /* enum fd_gc */
    uint32_t gc_every; /* FD_GC_EVERY: allocations from one collection to the next */
    uint64_t gc_seed;  /* FD_GC_SEEDED: draws those numbers */
    uint32_t limit_files; /* soft limits: open files; 0: as it is, here and below */
    uint32_t limit_cpus;  /* processors that a program is told of */
    uint64_t limit_memory, limit_stack; /* bytes */
};

/* What the test does to the world around it, noted in a watched run while `own` says that its code
 * runs. Programs are noted as "path\x1f" "argument\x1f…", cut to fit. */
enum fd_act_kind {
    FD_ACT_OUTSIDE, /* reached for another machine, or looked one up */
    FD_ACT_PROGRAM, /* started a program */
    FD_ACT_WRITES,  /* made a file or opened it to be written, below none of may_write */
    FD_ACT_REMOVES, /* took one away, renamed it, or changed its rights or times */
};
#define FD_ACTS 48
struct fd_act {
    uint64_t hash; /* of kind and text: whoever puts it there owns the entry; 0: free */
    uint32_t kind;
    uint32_t padding;
    char text[FD_PATH_MAX]; /* whole once its first byte is there */
};

/* What a watched run needs of its machine: by it the runner chooses the sandbox. Written with
 * atomics by any process of the trial; tables fill from the front and an entry is complete once
 * the count has passed it. */
enum fd_need {
    FD_NEED_OUTSIDE,    /* reached for another machine, or looked one up */
    FD_NEED_LOOPBACK,   /* a port of this machine that no process of the trial bound */
    FD_NEED_ABSTRACT,   /* an abstract AF_UNIX name that none of them bound */
    FD_NEED_SOCKET,     /* an AF_UNIX path that was there before */
    FD_NEED_HOME,       /* read below HOME what was there before (paths in `path`) */
    FD_NEED_TMP,        /* read in /tmp or /var/tmp what was there before (paths in `path`) */
    FD_NEED_PRIVILEGED, /* started a program that gains rights by being run */
    FD_NEED_FOREIGN,    /* started a program of another class or machine */
    FD_NEED_UNWATCHED,  /* started a program that cannot be preloaded: what it needs is unknown */
    FD_NEED_COUNT
};
#define FD_PORTS 128
#define FD_PATHS 32
#define FD_FIXED 16
#define FD_MISSES 24
#define FD_MADE 128
/* What it did, for the axes: which values can matter to it. */
enum fd_deed {
    FD_DEED_STREAM,   /* received over a stream socket, from wherever */
    FD_DEED_OWN_NAME, /* looked the machine's own name up */
    FD_DEED_STAMP,    /* asked for the times of a file that was written in this run */
    FD_DEED_WRITE,    /* wrote below the folder for temporary files */
    FD_DEED_SOURCE,   /* wrote below the folder that the first process stood in */
    FD_DEED_LANGUAGE, /* the project went by a language: its sorting, its number formats */
};
#define FD_ENVS 64
#define FD_ENV_MAX 48         /* a longer name is not noted */
#define FD_READ_DEMANDED 'd'  /* by os.environ["NAME"] in the project's own code */
#define FD_READ_OPTIONAL 'o'
struct fd_seen {
    uint32_t needs; /* bit n: enum fd_need */
    uint32_t ports; /* bound by the trial's processes, TCP and UDP alike */
    uint16_t port[FD_PORTS];
    uint32_t names; /* abstract names bound by them, as hashes */
    uint32_t paths; /* read below HOME, /tmp or /var/tmp; more than FD_PATHS: some are lost */
    uint32_t reads; /* bit n: the test, or its modules as they were imported, read axis n */
    uint32_t envs;  /* variables read; more than FD_ENVS: some are lost */
    uint64_t name[FD_PORTS];
    char path[FD_PATHS][FD_PATH_MAX];
    char env[FD_ENVS][FD_ENV_MAX]; /* FD_READ_* and the name; a name may be there with both */
    char what[FD_NEED_COUNT][FD_PATH_MAX]; /* the first of each: address, path, program; whole once
                                            * its first byte is there, which may be never */
    /* Inside the window: calls that reached each place where FD_DELAY may act. */
    uint32_t stalled[FD_STALL_COUNT];
    uint32_t clock_reads; /* CLOCK_MONOTONIC and its family */
    uint32_t timed;       /* sleeps, and waits with a timeout */
    uint32_t deeds;           /* bit n: enum fd_deed */
    uint32_t fixed_ports;     /* that a bind named */
    uint16_t fixed[FD_FIXED];
    uint32_t misses; /* in `missed`: looked for inside the window, and not found */
    uint32_t found;  /* bit n: missed[n] was made by the run itself after all */
    uint32_t makes;  /* in `made`: hashes of paths made; beyond FD_MADE nobody knows any more */
    uint32_t padding;
    uint64_t made[FD_MADE];
    char missed[FD_MISSES][FD_PATH_MAX];
    uint32_t own;  /* under pytest: 1 while the test's own code runs, by FD_CTL=own:1 */
    uint32_t acts; /* entries of `act` in use; more than FD_ACTS: some are lost */
    struct fd_act act[FD_ACTS];
    /* Written by the runner: folders below which files may be changed, since they are the test's
     * own, or a copy. From the front; "" ends them. */
    char may_write[FD_FOLDERS][FD_PATH_MAX];
};

#define FD_SLOTS 64
struct fd_slot {
    uint64_t touched[FD_AXIS_COUNT]; /* calls that reached a hook of the axis */
};

#define FD_SITES 128
struct fd_site { /* a line that touched an axis; the table fills from the front */
    uint32_t axis;
    uint32_t line;
    uint64_t count;
    uint64_t first, last; /* ordinal of the wall-clock read inside the window (time), or 0 */
    char hook[24];
    char function[48];
    char file[160];
};

/* A direction of a stream between sockets of the trial (`segment`): where its sends ended. Written
 * by sender and receiver at once; bytes are counted from its beginning. */
#define FD_FLOWS 64
#define FD_SENDS 64
struct fd_flow {
    uint64_t key; /* of the two addresses, or of the receiving socket; 0: free */
    uint64_t sent, got;
    uint64_t sends; /* the last FD_SENDS of them are in `end` */
    uint64_t end[FD_SENDS];
};

#define FD_ZONES 8
#define FD_ESCAPES 8

struct fd_page {
    uint32_t magic, version, size, axes; /* axes = FD_AXIS_COUNT of the writer */
    char release[FD_RELEASE_MAX];        /* of the writer: one release or none */
    struct fd_settings settings;
    /* from here on written by the shim */
    uint32_t attached;        /* processes that mapped this page */
    uint32_t windows;         /* times the window opened */
    uint32_t processes;       /* ordinals handed out; the trial's first process has 0 */
    uint32_t not_covered;     /* children started that cannot be preloaded */
    int64_t window_real_ns;   /* CLOCK_REALTIME when the window last opened */
    int64_t window_mono_ns;   /* CLOCK_MONOTONIC then */
    uint64_t window_reads;    /* wall-clock reads since then: kept for `at`, `step` and a witness */
    uint64_t at_open[FD_AXIS_COUNT]; /* sums of the slots when the window last opened */
    uint32_t slots;           /* slots handed out; FD_SLOTS and more share the last */
    uint32_t sites;           /* entries of `site` in use */
    uint32_t zones;           /* entries of `zone` in use */
    uint32_t injected_axis;   /* the last error we caused ourselves, and how many */
    int32_t injected_errno;
    uint32_t injected_count;
    char zone[FD_ZONES][48];  /* zone files opened by this process or its parents, "Europe/Paris" */
    int64_t birth_real_ns;    /* CLOCK_REALTIME of the first process: the clock before the window */
    int64_t frozen_ns;        /* how far a frozen clock has moved: waits, anti-spin */
    int64_t at_mono_ns;       /* `at`: CLOCK_MONOTONIC of the first read past the boundary, or 0 */
    int64_t at_real_ns;       /* and CLOCK_REALTIME then */
    uint64_t window_node;     /* hash of the node id whose window is open */
    uint64_t not_covered_path[FD_ESCAPES]; /* hashes of the paths that were reported already */
    uint32_t device_opened;   /* 1: somebody opened /dev/urandom or /dev/random */
    uint32_t stall_threads;   /* threads started inside the window: their numbers */
    int64_t pace_mono_ns;     /* CLOCK_MONOTONIC since when clocks run fast or coarse, or 0 */
    int64_t pace_real_ns;     /* CLOCK_REALTIME then */
    int64_t skipped_ns;       /* by sleeps that ended at once */
    int64_t stalled_ns;       /* what all delays came to */
    uint64_t full_used;       /* FD_FS_FULL: bytes by which files grew, in all processes */
    struct fd_slot slot[FD_SLOTS];
    struct fd_site site[FD_SITES];
    struct fd_seen seen;
    struct fd_flow flow[FD_FLOWS];
};
_Static_assert(sizeof(struct fd_page) == 1184 + sizeof(struct fd_slot) * (FD_SLOTS + 1) +
                                             sizeof(struct fd_site) * FD_SITES +
                                             sizeof(struct fd_seen) +
                                             sizeof(struct fd_flow) * FD_FLOWS,
               "the page is a wire format: bump FD_VERSION");
_Static_assert(sizeof(struct fd_settings) == 552, "the page is a wire format: bump FD_VERSION");
_Static_assert(sizeof(struct fd_site) == 264, "the page is a wire format: bump FD_VERSION");
_Static_assert(sizeof(struct fd_seen) == 25616, "the page is a wire format: bump FD_VERSION");

#endif
