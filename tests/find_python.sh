#!/bin/sh
# Prints the interpreter behind `pytest` on PATH, or python3 where there is none.
script=$(command -v pytest) || { command -v python3; exit; }
first=$(head -n 1 "$script")
case $first in
*python*) ;;
*) script=$(pyenv which pytest 2>/dev/null) && first=$(head -n 1 "$script") ;;
esac
case $first in
'#!'*/env\ *) command -v "${first##* }" ;;
'#!'*python*) printf '%s\n' "${first#??}" ;;
*) command -v python3 ;;
esac
