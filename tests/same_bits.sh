#!/usr/bin/env bash
# With gemm = "reference" a run's CSVs are the same bytes whatever compiled it: trains with several
# builds and compares.
#   tests/same_bits.sh [VARIANT ...]     all of the table below, or those that are named
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# name, compiler, optimisation, for this processor or for any
variants() {
  cat <<'TABLE'
gcc_o3_native   g++     -O3 ON
gcc_o1_sse2     g++     -O1 OFF
gcc_o3_sse2     g++     -O3 OFF
gcc_o1_native   g++     -O1 ON
clang_o3_native clang++ -O3 ON
clang_o1_sse2   clang++ -O1 OFF
TABLE
}

build() {
  local name=$1 compiler=$2 optimisation=$3 native=$4
  cmake -S "$root" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS_RELEASE="$optimisation -DNDEBUG" \
    -DROOTDK_NATIVE="$native" -DROOTDK_TESTS=OFF \
    -DCMAKE_UNITY_BUILD=ON >"$work/$name.log" 2>&1 &&
    cmake --build "$work/$name" --target train_retrieval saturation_at_init >>"$work/$name.log" 2>&1 ||
    { tail -n 40 "$work/$name.log"; exit 1; }
}

chosen=("$@")
first=
while read -r name compiler optimisation native; do
  if [ ${#chosen[@]} -gt 0 ] && [[ " ${chosen[*]} " != *" $name "* ]]; then continue; fi
  build "$name" "$compiler" "$optimisation" "$native"
  "$root/tests/reference_runs.sh" "$work/$name/experiments" "$work/runs/$name" >"$work/$name.sums"
  if [ -z "$first" ]; then
    first=$name
    echo "same bits: $name wrote $(wc -l <"$work/$name.sums") CSVs"
  elif cmp -s "$work/$first.sums" "$work/$name.sums"; then
    echo "same bits: $name agrees with $first"
  else
    echo "same bits: $name differs from $first in:"
    diff "$work/$first.sums" "$work/$name.sums" | sed -n 's/^> //p'
    exit 1
  fi
done < <(variants)
[ -n "$first" ] || { echo "no such variant: ${chosen[*]}" >&2; exit 2; }
