#include "core/command/documents.h"

#include "core/command/completion.h"

namespace phasebit::command {
namespace {

// CLI11 ends what it prints with a new line of its own.
[[noreturn]] void print_and_leave(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  throw CLI::CallForVersion(text, 0);
}

}  // namespace

void add_documents(CLI::App& app, const ManPageFacts& facts) {
  app.add_flag_callback("--man-page",
                        [&app, facts] { print_and_leave(man_page(describe(app), facts)); })
      ->group("");
  const auto complete = [&app](const std::string& shell) {
    const auto script = completion_script(describe(app), shell);
    if (!script) throw CLI::ValidationError("--completion", script.error().text());
    print_and_leave(*script);
  };
  app.add_option_function<std::string>("--completion", complete)->group("");
}

std::vector<std::pair<std::string, std::string>> step_exit_codes() {
  std::vector<std::pair<std::string, std::string>> codes;
  for (int n = 0; n <= static_cast<int>(Step::io); ++n) {
    const Step step = static_cast<Step>(n);
    codes.emplace_back(std::to_string(base::exit_code(step)), base::to_string(step));
  }
  return codes;
}

}  // namespace phasebit::command
