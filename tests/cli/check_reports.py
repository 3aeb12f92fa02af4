#!/usr/bin/env python3
"""Check the golden reports: every JSON against its schema in docs/, every human report of a
diagnosis against 72 columns as terminals count them.

usage: check_reports.py SOURCE_DIR [FILE.json ...]   (files: more reports to validate)

Uses the jsonschema package where it is installed, and always the small validator below, which
refuses a schema with a keyword it does not know: nothing is skipped in silence.
"""
import copy
import json
import pathlib
import re
import sys
import unicodedata

COLUMNS = 72
NOTES = {"$schema", "$id", "title", "description", "$defs"}
TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}


def is_type(value, name):
    if name in ("integer", "number"):
        kinds = (int,) if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def errors(value, schema, root, where="$"):
    """Yield what is wrong with value; the keywords are those the schema in docs/ uses."""
    for word, arg in schema.items():
        if word in NOTES or word == "properties":
            continue
        if word == "$ref":
            yield from errors(value, root["$defs"][arg.rpartition("/")[2]], root, where)
        elif word == "type":
            if not any(is_type(value, t) for t in ([arg] if isinstance(arg, str) else arg)):
                yield f"{where}: {value!r} is not {arg}"
        elif word in ("anyOf", "oneOf"):
            found = [list(errors(value, s, root, where)) for s in arg]
            good = sum(not f for f in found)
            if good == 0 or (word == "oneOf" and good > 1):
                yield f"{where}: fits {good} of {word}: {min(found, key=len)}"
        elif word == "const":
            if value != arg:
                yield f"{where}: {value!r} is not {arg!r}"
        elif word == "enum":
            if value not in arg:
                yield f"{where}: {value!r} is none of {arg}"
        elif word == "pattern":
            if isinstance(value, str) and not re.search(arg, value):
                yield f"{where}: {value!r} does not match {arg}"
        elif word in ("minimum", "maximum"):
            if is_type(value, "number") and (value < arg if word == "minimum" else value > arg):
                yield f"{where}: {value} is beyond the {word} {arg}"
        elif word == "required":
            if isinstance(value, dict):
                yield from (f"{where}: no key {k}" for k in arg if k not in value)
        elif word == "additionalProperties":
            for key in value if isinstance(value, dict) else ():
                if key not in schema.get("properties", {}):
                    yield from errors(value[key], arg, root, f"{where}.{key}")
        elif word == "items":
            if isinstance(value, list):
                for i, item in enumerate(value):
                    yield from errors(item, arg, root, f"{where}[{i}]")
        else:
            raise SystemExit(f"check_reports.py: teach me the schema keyword {word!r}")
    if isinstance(value, dict):
        for key, sub in schema.get("properties", {}).items():
            if key in value:
                yield from errors(value[key], sub, root, f"{where}.{key}")


def width(line):
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in line)
    return len(line) + wide - sum(unicodedata.combining(c) > 0 for c in line)


def check_validator(schema, finding):
    """The validator must be able to say no: break a good report and look."""
    def broken(change):
        bad = copy.deepcopy(finding)
        change(bad)
        return bool(list(errors(bad, schema, schema)))
    assert not list(errors(finding, schema, schema))
    assert broken(lambda f: f.pop("verdict"))
    assert broken(lambda f: f.update(verdict="flaky"))
    assert broken(lambda f: f.update(version=2))
    assert broken(lambda f: f["baseline"].update(rate=1.5))
    assert broken(lambda f: f["stats"].update(trials=-1))
    assert broken(lambda f: f["evidence"][0].update(tier="hot"))
    assert broken(lambda f: f.update(warnings=[1]))
    assert not broken(lambda f: f.update(later="an added key is fine"))


def check_fractions(schema, report):
    """The same for the reports of sampling sessions."""
    def broken(change):
        bad = copy.deepcopy(report)
        change(bad)
        return bool(list(errors(bad, schema, schema)))
    assert not list(errors(report, schema, schema))
    assert broken(lambda r: r.pop("records"))
    assert broken(lambda r: r.update(runs=0))
    assert broken(lambda r: r["totals"].update(pass_rate=100.5))
    assert broken(lambda r: r["totals"]["usage"]["m-small"].pop("cost"))
    assert broken(lambda r: r["rows"][0]["ci"].update(low=69))
    assert broken(lambda r: r["rows"][0].update(status="good"))
    assert broken(lambda r: r["records"][0].update(outcome="skip"))
    assert not broken(lambda r: r["rows"][0].update(later="an added key is fine"))


def check_files(files, schema):
    """How many of the reports do not fit the schema."""
    try:
        import jsonschema
        peer = jsonschema.Draft202012Validator(schema)
        peer.check_schema(schema)
    except (ImportError, AttributeError):  # absent, or older than the 2020-12 draft
        peer = None
    print("validators: own" + (" and jsonschema" if peer else " (no jsonschema here)"))
    bad = 0
    for path in files:
        report = json.loads(path.read_text(encoding="utf-8"))
        wrong = list(errors(report, schema, schema))
        if peer:
            wrong += [e.message for e in peer.iter_errors(report)]
        for w in wrong:
            print(f"{path}: {w}")
        bad += bool(wrong)
    return bad


def is_fractions(path):
    return "stats_config" in json.loads(path.read_text(encoding="utf-8"))


def main():
    root = pathlib.Path(sys.argv[1])
    golden = root / "tests/cli/golden"
    schemas = [json.loads((root / "docs" / name).read_text(encoding="utf-8"))
               for name in ("report.schema.json", "fractions.schema.json")]
    check_validator(schemas[0], json.loads((golden / "flaky-time-latent.json").read_text()))
    check_fractions(schemas[1], json.loads((root / "tests/cli/fractions/first.json").read_text()))
    more = [pathlib.Path(p) for p in sys.argv[2:]]
    files = sorted(golden.glob("*.json")) + [p for p in more if not is_fractions(p)]
    fractions = (sorted((root / "tests/cli/fractions").glob("*.json"))
                 + [p for p in more if is_fractions(p)])
    bad = check_files(files, schemas[0]) + check_files(fractions, schemas[1])
    texts = sorted(golden.glob("*.txt"))
    for path in texts:
        lines = path.read_text(encoding="utf-8").splitlines()
        start = next((i for i, s in enumerate(lines) if s.startswith(" REPRO")), len(lines))
        for n, line in enumerate(lines, 1):
            # What is to be pasted cannot be broken.
            pasted = n == start + 2 or (n > start and line.startswith("   @pytest.mark."))
            if width(line) > COLUMNS and not pasted:
                print(f"{path}:{n}: {width(line)} columns")
                bad += 1
    if not files or not texts or not fractions:
        print(f"no golden reports in {golden}")
        bad += 1
    print(f"{len(files) + len(fractions)} JSON reports and {len(texts)} human reports checked, {bad} bad")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
