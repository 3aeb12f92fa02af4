"""The words --prob-… and --ai-…, and prob_… and ai_… in the ini file. What they mean is decided by
the program."""

CLI, INI, BOTH = 1, 2, 3
VALUE, ON, OFF, MANY = "value", "on", "off", "many"

# name, where, kind, metavar, what it does. An OFF option is --prob-no-NAME, its ini key prob_NAME.
TABLE = (
    ("runs", BOTH, VALUE, "N", "run every case N times [1]"),
    ("json", CLI, VALUE, "PATH", "write a JSON report"),
    ("delay", BOTH, VALUE, "SECONDS", "sleep between the runs [0]"),
    ("transpose", BOTH, ON, None, "run 1 of every case, then run 2 of every case, and so on"),
    ("method", BOTH, VALUE, "M", "intervals of the rows: exact, wilson or bayes [exact]"),
    ("confidence", BOTH, VALUE, "LEVEL", "two-sided level of the intervals [0.95]"),
    ("prior", INI, VALUE, None, "Beta prior a,b for bayes [1,1]"),
    ("intervals", BOTH, OFF, None, "leave out the column of intervals"),
    ("min-rate", BOTH, VALUE, "RATE", "hold every case to this pass rate"),
    ("undecided", BOTH, VALUE, "fail|pass", "what an undecided gate does to the session [fail]"),
    ("errors", INI, VALUE, None, "errored runs of gated cases: count or exclude [count]"),
    ("explain", BOTH, ON, None, "say in plain words what the results mean"),
    ("bootstrap", BOTH, VALUE, "N", "resamples behind an interval of a function [5000]"),
    ("seed", BOTH, VALUE, "SEED", "seed of the resampling [0]"),
    ("min-inputs", INI, VALUE, None, "cases a function needs for an interval of its own [10]"),
    ("compare", BOTH, VALUE, "AXIS", "compare the values of this argument of parametrize"),
    ("adjust", BOTH, VALUE, "M", "p-values of comparisons: none, holm, bonferroni or bh [none]"),
    ("metric", BOTH, MANY, "M", "also report pass^K or pass@K; several with commas, or repeated"),
    ("plan", CLI, ON, None, "print what the runs can show and cost, and run nothing"),
    ("plan-assume", CLI, VALUE, "RATE", "the true pass rate to plan for [0.97]"),
    ("plan-flake", CLI, VALUE, "RATES", "failure rates to plan to catch [0.1,0.01]"),
    ("plan-report", CLI, VALUE, "PATH", "an earlier JSON report, for what a run costs"),
    ("baseline", CLI, VALUE, "PATH", "compare with an earlier JSON report, case by case"),
    ("margin", CLI, VALUE, "MARGIN", "with --prob-baseline: the loss of pass rate that fails"),
    ("latency", BOTH, ON, None, "show a quantile of every case's run times"),
    ("latency-quantile", INI, VALUE, None, "the quantile of cases whose mark sets none [0.95]"),
    ("stop", BOTH, VALUE, "off|curtail|sequential",
     "leave out the runs of a gated case that can change nothing any more [off]"),
    ("gate-items", BOTH, OFF, None, "add no items that pass or fail with a verdict"),
    ("isolate", BOTH, VALUE, "fork|off",
     "every run in a forked child [off; fork with --prob-tests and --prob-timeout]"),
    ("timeout", BOTH, VALUE, "SECONDS", "end a run that takes longer, as an errored one"),
    ("tests", CLI, ON, None, "sample ordinary tests too, not only the functions of bench files"),
    ("diagnose", CLI, ON, None, "diagnose every FLAKY case after the runs"),
)
PATTERN = "bench_*.py"

# name, metavar, what it does: an option --ai-NAME and a key ai_NAME of the ini file. Without a
# metavar the option is a flag, and the key on or off.
TRIAGE = (
    ("triage", "on|off", "ask a provider for a verdict on each failure [off]"),
    ("report", "PATH", "write each failure as JSON [.triage.json with verdicts, else none]"),
    ("evidence", None, "run what failed again: a verdict from what that shows, with its repro"),
    ("evidence-budget", "SEC", "how long that may take, for all failures together [60]"),
    ("provider", "NAME", "who gives the verdicts: a name or module:attr"),
    ("budget", "N", "how often the provider is asked at most [10]"),
    ("timeout", "SEC", "how long one answer may take [30]"),
    ("redact", "strict|off", "take secrets out of what is written or sent [strict]"),
)


def ini_key(name):
    return "prob_" + name.replace("-", "_")


def triage_key(name):
    return "ai_" + name.replace("-", "_")


def add(parser):
    group = parser.getgroup("probability", "fractions, gates and comparisons (flaky-repro)")
    for name, where, kind, metavar, text in TABLE:
        if where & CLI:
            flag = f"--prob-{'no-' if kind == OFF else ''}{name}"
            how = {"action": "store_true"} if kind in (ON, OFF) else {"metavar": metavar}
            how = {"action": "append", **how} if kind == MANY else how
            group.addoption(flag, dest=ini_key(name), default=None, help=text, **how)
        if where & INI:
            flag = kind in (ON, OFF)
            text = f"show or add: {name}" if kind == OFF else text
            parser.addini(ini_key(name), text, type="bool" if flag else None, default=None)
    parser.addini("prob_pattern", f"names of files with benchmarks [{PATTERN}]", default=PATTERN)


def typed(config):
    return any(getattr(config.option, ini_key(row[0]), None) is not None for row in TABLE)


def given(config):
    """What was set, weakest first: [name, value, as the user wrote it]."""
    words = []
    for name, where, kind, _, _ in TABLE:
        key = ini_key(name)
        value = config.getini(key) if where & INI else None
        if value not in (None, "", []):
            words.append([name, word(value), key])
    for name, where, kind, _, _ in TABLE:
        value = getattr(config.option, ini_key(name), None) if where & CLI else None
        if value is not None:
            value = ",".join(value) if kind == MANY else False if kind == OFF else value
            words.append([name, word(value), f"--prob-{'no-' if kind == OFF else ''}{name}"])
    return words


def add_triage(parser):
    group = parser.getgroup("triage", "every failure as data, with a verdict (flaky-repro)")
    for name, metavar, text in TRIAGE:
        how = {"metavar": metavar} if metavar else {"action": "store_const", "const": "on"}
        group.addoption(f"--ai-{name}", dest=triage_key(name), default=None, help=text, **how)
        parser.addini(triage_key(name), text, default=None)


def given_of_triage(config):
    """As given()."""
    words = [[name, config.getini(triage_key(name)) or None, triage_key(name)]
             for name, _, _ in TRIAGE]
    words += [[name, getattr(config.option, triage_key(name), None), f"--ai-{name}"]
              for name, _, _ in TRIAGE]
    return [[name, word(value), origin] for name, value, origin in words if value is not None]


def word(value):
    return str(value).lower() if isinstance(value, bool) else str(value)
