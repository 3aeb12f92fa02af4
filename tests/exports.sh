#!/bin/sh
# usage: exports.sh LIBFD.so SYMBOLS.def
#
# The library exports the rows of the table, all of them and nothing else, and needs libc alone.
# A row is MACRO(AXIS, RETURN TYPE, NAME, (PARAMETERS), (ARGUMENTS)) at the start of a line.
set -eu
LC_ALL=C
export LC_ALL

[ $# -eq 2 ] || { echo "usage: exports.sh LIBFD.so SYMBOLS.def" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# A row that this pattern cannot read would be a hook that nobody checks: count both.
rows=$(grep -cE '^[A-Z][A-Z_0-9]*\(' "$2" || true)
sed -nE 's/^[A-Z][A-Z_0-9]*\([A-Z_]+, *[^,()]+, *([A-Za-z0-9_]+), *\(.*$/\1/p' "$2" >"$work/rows"
if [ "$rows" -eq 0 ] || [ "$rows" -ne "$(wc -l <"$work/rows")" ]; then
    echo "$2: $rows rows, of which $(wc -l <"$work/rows") could be read"
    bad=1
fi
sort "$work/rows" | uniq -d | sed 's/^/two rows: /' >"$work/twice"
sort -u "$work/rows" >"$work/want"
# A version script without a version still gives no version names; cut them off in any case.
nm -D --defined-only "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' | sort -u >"$work/have"
comm -23 "$work/want" "$work/have" | sed 's/^/not exported: /' >"$work/missing"
comm -13 "$work/want" "$work/have" | sed 's/^/not in the table: /' >"$work/extra"

# libdl became part of libc in glibc 2.34; before, dlsym needs it.
glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null |
    awk '{ split($2, v, "."); print v[1] * 1000 + v[2] }')
readelf -dW "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' >"$work/needed"
while read -r lib; do
    case $lib in
    libc.so.6 | ld-linux*) continue ;;
    libdl.so.2) [ "${glibc:-9999}" -ge 2034 ] || continue ;;
    esac
    echo "needs $lib"
done <"$work/needed" >"$work/libs"
grep -q '^libc\.so\.6$' "$work/needed" || echo "does not need libc: is it a library of ours?" \
    >>"$work/libs"

for list in twice missing extra libs; do
    if [ -s "$work/$list" ]; then
        cat "$work/$list"
        bad=1
    fi
done
echo "$rows rows, $(wc -l <"$work/have") exports, needed: $(tr '\n' ' ' <"$work/needed")"
exit $bad
