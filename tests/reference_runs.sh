#!/usr/bin/env bash
# The runs whose bytes may depend on nothing but the seed: every task, optimizer, order and kind of
# attention with gemm = "reference", a few hundred steps long. Unscaled training is chaotic: a difference
# in one last bit would be in every digit soon.
#   tests/reference_runs.sh EXPERIMENTS OUT    EXPERIMENTS: the folder of the binaries
# Prints the checksum of each CSV.
set -euo pipefail
experiments=$1 out=$2
common=(--gemm reference --seed 1 --steps 300 --n_tokens 12 --n_classes 12 --slot_dim 8 --batch_size 4
  --scale none,inv_sqrt_dk --lr 0.3 --threads 2 --evaluation_sequences 16 --evaluate_every 100 --quiet)
for task in lookup associative_recall successor; do
  "$experiments/train_retrieval" "${common[@]}" --task $task --d_k 8,64 --optimizer sgd,adam --out "$out/$task"
  "$experiments/train_retrieval" "${common[@]}" --task $task --d_k 64 --dtype float64 --attention streaming \
    --signal_batches 2 --out "$out/${task}_float64"
done
"$experiments/saturation_at_init" --quiet --d_k 16,256 --n_tokens 64 --n_queries 400 --out "$out/saturation"
cd "$out"
find . -name '*.csv' | LC_ALL=C sort | xargs sha256sum
