#include "rootdk/tasks/task.hpp"

#include <array>
#include <type_traits>

#include "rootdk/named.hpp"
#include "rootdk/tasks/associative_recall.hpp"
#include "rootdk/tasks/lookup.hpp"
#include "rootdk/tasks/successor.hpp"

namespace rootdk {
namespace {

template <class Definition>
constexpr TaskRow row() {
  return {Definition::name, Definition::summary, &Definition::info,
          &Definition::template make<float>, &Definition::template make<double>};
}

// A new task is a header, a source and one row here.
constexpr std::array table{
    row<Lookup>(),
    row<AssociativeRecall>(),
    row<Successor>(),
};

}  // namespace

std::span<const TaskRow> task_table() { return table; }

const TaskRow& find_task(std::string_view name) {
  if (const TaskRow* row = find_row(task_table(), name)) return *row;
  throw TaskError("task",
                  "unknown task '" + std::string(name) + "', known: " + known_names(task_table()));
}

template <class T>
std::unique_ptr<Task<T>> make_task(std::string_view name, const TaskParameters& parameters) {
  const TaskRow& found = find_task(name);
  if constexpr (std::is_same_v<T, float>) {
    return found.make_float(parameters);
  } else {
    return found.make_double(parameters);
  }
}
template std::unique_ptr<Task<float>> make_task(std::string_view, const TaskParameters&);
template std::unique_ptr<Task<double>> make_task(std::string_view, const TaskParameters&);

}  // namespace rootdk
