#!/usr/bin/env bash
# Checks beside ./rootdk test. Each stage installs what it needs and says how long it took.
#   tests/extra_checks.sh [STAGE...]   without a stage: the four that .ci/run runs
#     format   clang-format 14 would change nothing
#     fuzz     the readers of config, .npy and .csv on made-up bytes, FUZZ_SECONDS (10) each
#     tsan     data races: the tests of the harness, and a sweep of trainings on four threads
#     asan     bad memory and undefined behaviour: every test but a few that are long or run nothing of ours
#   and, longer:
#     clang    every test, built by the other compiler
#     coverage the tests run at least 95 % of the lines of include and src
#     tidy     clang-tidy finds nothing in src and experiments
#     bits     with gemm = "reference" the same bytes from g++ and clang, -O1 and -O3, SSE2 and this processor
#     kills    a sweep killed 30 times and disturbed otherwise ends with the same bytes
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-$(nproc)}

needs() { ./rootdk install "$@"; }

# Configures a preset and builds targets; the output is shown only when that fails.
build() {
  local preset=$1 log=build/$1.log
  shift
  mkdir -p build
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" --target "$@"; } >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "the build failed; all of its output is in $log" >&2
    return 1
  fi
}

# The example of the README keeps its own line breaks: it must equal the README's block.
stage_format() {
  needs clang-format
  clang-format --version | grep -q 'version 14\.' || { echo "clang-format 14 decides, and this is another"; return 1; }
  git ls-files '*.cpp' '*.hpp' | grep -v '^tests/docs/add_an_op_test.cpp$' | xargs clang-format --dry-run -Werror
}

stage_fuzz() {
  needs clang libclang-rt-dev
  build fuzz all
  local name work
  for name in toml_file npy csv; do
    work=build/fuzz/found/$name  # inputs that reached new code; the next call goes on from there
    mkdir -p "$work"
    build/fuzz/tests/fuzz/fuzz_$name "$work" tests/fuzz/corpus/$name -artifact_prefix="$work-" \
      -max_total_time="${FUZZ_SECONDS:-10}" -max_len=4096 -timeout=10 >"$work.log" 2>&1 ||
      { tail -n 40 "$work.log"; return 1; }
    echo "  $name: $(grep '^Done' "$work.log")"
  done
}

stage_tsan() {
  build tsan harness_tests train_retrieval
  export TSAN_OPTIONS=halt_on_error=1
  build/tsan/tests/harness_tests
  rm -rf build/tsan/run
  build/tsan/experiments/train_retrieval --quiet --threads 4 --d_k 4,16 --lr 0.5,1 --steps 20 --n_tokens 16 \
    --slot_dim 8 --batch_size 4 --signal_batches 2 --evaluation_sequences 16 --out build/tsan/run
}

# Left out: what only compiles or draws, and what runs for minutes at a tenth of the speed where shorter
# tests run the same code (the audit at its full budget; kills; whole trainings for what they show).
stage_asan() {
  build asan all tests
  local left_out='headers_stand_alone|install|.*figures?|readme_audit|kill_and_resume'
  left_out+='|headline: .*|projections: (no tied matrix|untied ones) .*'
  ctest --preset asan -j "$jobs" --no-tests=error --exclude-regex "^($left_out)\$"
}

stage_clang() {
  needs clang
  build clang all tests
  ctest --preset clang -j "$jobs" --no-tests=error
}

# Left out: what only compiles, and the audit at its full budget, whose lines shorter tests run.
stage_coverage() {
  needs gcovr
  build coverage all tests
  find build/coverage -name '*.gcda' -delete
  ctest --preset coverage -j "$jobs" --no-tests=error --exclude-regex '^(headers_stand_alone|install|readme_audit)$'
  gcovr --root . --object-directory build/coverage --filter include/ --filter src/ \
    --exclude-throw-branches --fail-under-line 95 build/coverage/CMakeFiles build/coverage/tests build/coverage/experiments |
    tee build/coverage/lines.txt | tail -n 4
}

stage_tidy() {
  needs clang clang-tidy
  mkdir -p build
  cmake -S . -B build/tidy -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >build/tidy.log
  cmake --build build/tidy --target revision >>build/tidy.log
  run-clang-tidy -quiet -p build/tidy -j "$jobs" "^$PWD/(src|experiments)/" >>build/tidy.log 2>&1 ||
    { grep -E '(warning|error):' build/tidy.log | sort -u; return 1; }
}

stage_bits() {
  needs clang
  tests/same_bits.sh
}

stage_kills() {
  build release train_retrieval
  /usr/bin/python3 tests/kill_and_resume.py --kills 30
}

stages=("$@")
[ $# -gt 0 ] || stages=(format fuzz tsan asan)
for stage in "${stages[@]}"; do
  declare -F "stage_$stage" >/dev/null || { sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }
done
trap '[ -z "$stage" ] || echo "== $stage failed after $((SECONDS - began)) s"' EXIT
for stage in "${stages[@]}"; do
  echo "== $stage"
  began=$SECONDS
  "stage_$stage"
  echo "== $stage passed in $((SECONDS - began)) s"
done
stage=''
