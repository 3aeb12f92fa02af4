#!/usr/bin/env python3
"""Fail when files of ours need each other in a circle: by their symbols, or by their includes.

usage: circles.py ROOT [BUILD]
Objects are taken from BUILD/runner and BUILD/shim as CMake lays them out
(.../NAME.dir/folder/file.c.o).  The two are looked at apart: the shim defines names like `read`
that the runner takes from libc.  Without BUILD only the includes are checked.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.M)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def circles(graph):
    """Strongly connected components of more than one node (Tarjan, without recursion)."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def enter(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        on.add(v)
        return v, iter(sorted(graph.get(v, ())))

    def leave(v):
        if low[v] != index[v]:
            return
        part = []
        while not part or part[-1] != v:
            part.append(stack.pop())
            on.discard(part[-1])
        if len(part) > 1 or v in graph.get(v, ()):
            found.append(part)

    def step(work):
        v, rest = work[-1]
        for w in rest:
            if w not in index:
                work.append(enter(w))
                return
            if w in on:
                low[v] = min(low[v], index[w])
        work.pop()
        if work:
            low[work[-1][0]] = min(low[work[-1][0]], low[v])
        leave(v)

    for start in sorted(graph):
        work = [enter(start)] if start not in index else []
        while work:
            step(work)
    return found


def shortest_way(graph, part):
    """One shortest circle inside a component: easier to break than a list of its members."""
    start, inside = min(part), set(part)
    ways, seen = [[start]], set()
    while ways:
        way = ways.pop(0)
        for w in sorted(graph[way[-1]] & inside):
            if w == start:
                return way + [start]
            if w not in seen:
                seen.add(w)
                ways.append(way + [w])
    return part


def report(what, graph, why):
    found = circles(graph)
    for part in found:
        way = shortest_way(graph, part)
        print(f"circle of {len(part)} {what}: " + " -> ".join(way))
        for a, b in zip(way, way[1:]):
            names = sorted(why.get((a, b), ()))
            if names:
                print(f"    {a} needs {', '.join(names[:5])} of {b}")
    edges = sum(len(x) for x in graph.values())
    print(f"{len(graph)} {what}, {edges} edges, {len(found)} circles")
    return len(found)


def symbols(path):
    """(names defined for others, names needed) of an object."""
    # gcc-nm also reads the objects of a build with LTO.
    tool = os.environ.get("NM") or shutil.which("gcc-nm") or "nm"
    text = subprocess.run([tool, str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          universal_newlines=True, check=True).stdout
    have, need = set(), set()
    for line in text.splitlines():
        words = line.split()
        kind, name = words[-2:] if len(words) > 1 else ("", "")
        if kind in ("U", "w", "v"):
            need.add(name)
        elif kind in tuple("TDBRVWCi"):
            have.add(name)
    return have, need


def object_graph(folder):
    """Objects are named by their source below NAME.dir/: one source may be built for two
    targets and is still one."""
    have, need, owner = {}, {}, {}
    for path in sorted(folder.rglob("*.o")):
        name = re.sub(r"^.*\.dir/|\.o(?:bj)?$", "", path.as_posix())
        mine, others = symbols(path)
        have.setdefault(name, set()).update(mine)
        need.setdefault(name, set()).update(others)
    for name, mine in have.items():
        for symbol in mine:
            owner.setdefault(symbol, name)
    graph, why = {name: set() for name in have}, {}
    for name, others in need.items():
        for symbol in others - have[name]:
            if symbol in owner:
                graph[name].add(owner[symbol])
                why.setdefault((name, owner[symbol]), set()).add(symbol)
    return graph, why


def include_graph(root):
    graph = {}
    for top in ("shim", "runner"):
        for path in (root / top).rglob("*"):
            if path.suffix in (".c", ".h", ".def"):
                graph[path] = set()
    for path in graph:
        text = COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))
        for name in INCLUDE.findall(text):
            for base in (path.parent, root / "runner", root):
                found = pathlib.Path(os.path.normpath(base / name))
                if found in graph:
                    graph[path].add(found)
                    break

    def short(path):
        return path.relative_to(root).as_posix()

    return {short(a): {short(b) for b in to} for a, to in graph.items()}


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    bad = report("files", include_graph(pathlib.Path(sys.argv[1]).resolve()), {})
    for top in ("runner", "shim") if len(sys.argv) == 3 else ():
        graph, why = object_graph(pathlib.Path(sys.argv[2]) / top)
        if not graph:
            print(f"no objects below {sys.argv[2]}/{top}: nothing was checked")
            bad += 1
            continue
        bad += report(f"{top} objects", graph, why)
        if len(graph) > 1 and not why:
            print(f"{top}: no object needs another, so nm could not read them")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
