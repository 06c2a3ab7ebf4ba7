#!/usr/bin/env bash
# Every public header compiles as the only line of a file.   tests/headers_stand_alone.sh [COMPILER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../include"
check() {
  echo "#include \"$2\"" | "$1" -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. \
    -fsyntax-only -x c++ - || { echo "$2 does not stand alone"; exit 1; }
}
export -f check
find rootdk -name '*.hpp' -print0 | sort -z | xargs -0 -P 2 -I{} bash -c 'check "$@"' _ "${1:-c++}" {}
