#include "core/command/described.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace phasebit::command {
namespace {

DescribedOption describe_option(const CLI::Option& option) {
  DescribedOption made;
  made.positional = option.get_positional();
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  if (made.positional) made.names = {option.get_name(true)};
  made.help = option.get_description();
  made.default_value = option.get_default_str();
  made.required = option.get_required();
  if (option.get_items_expected_max() > 0) made.value = option.get_type_name();
  return made;
}

DescribedCommand describe_below(const CLI::App& app, std::vector<std::string> path) {
  DescribedCommand made;
  path.push_back(app.get_name());
  made.path = path;
  made.help = app.get_description();
  made.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) made.options.push_back(describe_option(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    if (!command->get_group().empty()) made.commands.push_back(describe_below(*command, path));
  return made;
}

void add_below(const DescribedCommand& command, std::vector<const DescribedCommand*>& all) {
  all.push_back(&command);
  for (const DescribedCommand& one : command.commands) add_below(one, all);
}

}  // namespace

std::string DescribedCommand::name() const {
  return fmt::format("{}", fmt::join(path, " "));
}

DescribedCommand describe(const CLI::App& app) {
  return describe_below(app, {});
}

std::vector<const DescribedCommand*> all_commands(const DescribedCommand& program) {
  std::vector<const DescribedCommand*> all;
  add_below(program, all);
  return all;
}

}  // namespace phasebit::command
