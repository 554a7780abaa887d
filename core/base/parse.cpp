#include "core/base/parse.h"

#include "core/base/text.h"

namespace phasebit::base {

using base::nearest_word_hint;

namespace {

// The innermost command that the line named.
const CLI::App& reached(const CLI::App& app, std::string& name) {
  const CLI::App* at = &app;
  name = app.get_name();
  while (!at->get_subcommands().empty()) {
    at = at->get_subcommands().front();
    name += " " + at->get_name();
  }
  return *at;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// The name of an error is that of the command where that is known; its code says what it is.
bool is(const CLI::ParseError& error, CLI::ExitCodes code) {
  return error.get_exit_code() == static_cast<int>(code);
}

// The words that no option took. A command below has dropped its own by now: CLI11 names them
// after the colon of its message.
std::vector<std::string> left_over(const CLI::App& app, const CLI::ParseError& error) {
  std::vector<std::string> left = app.remaining(true);
  const std::string message = error.what();
  const size_t colon = message.find(": ");
  if (!left.empty() || !is(error, CLI::ExitCodes::ExtrasError) || colon == std::string::npos)
    return left;
  const std::string rest = message.substr(colon + 2);
  return {rest.substr(0, rest.find(' '))};
}

}  // namespace

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name;
  const CLI::App& command = reached(app, name);
  const std::string help = name + " --help lists what it takes";
  const std::vector<std::string> left = left_over(app, error);
  const bool unknown =
      is(error, CLI::ExitCodes::ExtrasError) || is(error, CLI::ExitCodes::RequiredError);
  if (!unknown || left.empty()) {
    if (is(error, CLI::ExitCodes::RequiredError) && !command_names(command).empty())
      return {Step::usage, name + ": no command",
              nearest_word_hint(std::string(), command_names(command))};
    return {Step::usage, name + ": " + error.what(), help};
  }
  const std::string word = left.front().substr(0, left.front().find('='));
  if (word.starts_with("-"))
    return {Step::usage, fmt::format("{}: no option '{}'", name, word),
            nearest_word_hint(word, option_names(command))};
  if (!command_names(command).empty())
    return {Step::usage, fmt::format("{}: no command '{}'", name, word),
            nearest_word_hint(word, command_names(command))};
  return {Step::usage, fmt::format("{}: '{}' is one argument too many", name, word), help};
}

}  // namespace phasebit::base
