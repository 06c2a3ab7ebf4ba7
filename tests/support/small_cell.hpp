#pragma once
#include "rootdk/training/training_cell.hpp"

// A training run of milliseconds.
inline rootdk::CellConfig small_cell() {
  rootdk::CellConfig config;
  config.task_parameters = {.n_tokens = 8, .slot_dim = 8, .n_classes = 4, .batch_size = 4};
  config.d_k = 8;
  config.optimizer_config.lr = 0.5;
  config.steps = 30;
  config.log_every = 5;
  config.evaluate_every = 10;
  config.evaluation_sequences = 16;
  return config;
}

template <class T>
void run(rootdk::TrainingCell<T>& cell) {
  while (!cell.done()) cell.step();
}
