#include "app/arguments.h"

#include <cstdio>

namespace phasebit::app {

using join::select::SpaceRequest;

Status print(const Result<std::string>& text) {
  if (!text) return tl::unexpected<Error>(text.error());
  fmt::print("{}", *text);
  return {};
}

const CLI::Validator& at_least_one() {
  static const CLI::Validator check(
      [](const std::string& text) {
        const bool whole = text.find_first_not_of("0123456789") == std::string::npos;
        const bool zero = text.find_first_not_of('0') == std::string::npos;
        return whole && !zero ? std::string() : text + " is not a whole number from 1 on";
      },
      "");
  return check;
}

const CLI::Validator& not_empty() {
  static const CLI::Validator check(
      [](const std::string& text) {
        return text.empty() ? std::string("'' names nothing") : std::string();
      },
      "");
  return check;
}

namespace {

void add_sweep(CLI::App& app, SpaceRequest& space) {
  app.add_option("--templates", space.templates, "folder of templates (default: the project's)");
  app.add_option("--spec", space.spec, "spec file (default: specs/core.toml)");
  app.add_option("--sweep", space.sweep,
                 "sweep of the spec file (default: core; of another spec the only one it has)");
  app.add_option("--snippet", space.snippets, "verb=FILE: a text of yours for one verb")
      ->allow_extra_args(false);
}

constexpr const char* tool_options[] = {
    "--ptxas",         "--nvdisasm",         "--cache",          "--no-cache", "--jobs",
    "--max-registers", "--max-shared-bytes", "--max-spill-bytes"};

}  // namespace

void add_space(CLI::App& app, SpaceRequest& space) {
  add_sweep(app, space);
  app.add_option("-a,--axis", space.overrides,
                 "axis=values, such as stages=1,2,4:16:4, opt_level=all, maxrregcount=32")
      ->allow_extra_args(false);
  app.add_option("--id", space.ids,
                 "this variant instead of the sweep, or the one of the sweep with this hash; "
                 "repeat it for more")
      ->allow_extra_args(false);
  app.add_option("--variants", space.variants, "a file of the same, one a line");
  app.add_option("--filter", space.filter, "keep variants whose id has this in it");
  app.add_option("--limit", space.limit, "keep so many, spread evenly")->check(at_least_one());
}

void add_variant_space(CLI::App& app, SpaceRequest& space) {
  add_sweep(app, space);
  app.add_option("-a,--axis", space.overrides,
                 "of ptxas: opt_level=1, maxrregcount=32; of a hash's sweep: any axis=values")
      ->allow_extra_args(false);
}

CLI::Option* add_targets(CLI::App& app, std::vector<std::string>& targets,
                         const std::string& help) {
  return app.add_option("-t,--target,--targets", targets, help)
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_format(CLI::App& app, std::string& format, bool& json) {
  CLI::Option* option = app.add_option("--format", format, "text, markdown, csv, json or html");
  option->capture_default_str();
  app.add_flag("--json", json, "short for --format json")->excludes(option);
}

CLI::Option* add_full_names(CLI::App& app, bool& full_names) {
  return app.add_flag("--full-names", full_names,
                      "of files: long names of kernels whole (CSV and JSON always have them so)");
}

void add_examples(CLI::App& app, const std::vector<std::string>& lines) {
  std::string text = lines.size() == 1 ? "Example:" : "Examples:";
  for (const std::string& line : lines) text += "\n  " + line;
  app.footer(text);
}

void add_toolchain(CLI::App& app, SpaceRequest& space) {
  app.add_option("--toolchain", space.toolchains,
                 "each variant by these versions of ptxas, such as 12.4,13.0 or all (those "
                 "installed by tools/toolchain); short for -a ptxas=")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_tools(CLI::App& app, join::images::ToolOptions& tools) {
  app.add_option("--ptxas", tools.ptxas, "another ptxas than the pinned one");
  app.add_option("--nvdisasm", tools.nvdisasm, "another nvdisasm than the pinned one");
  CLI::Option* cache = app.add_option("--cache", tools.cache, "folder of the assembly cache");
  app.add_flag("--no-cache", tools.no_cache, "assemble anew and keep nothing")->excludes(cache);
  app.add_option("-j,--jobs", tools.jobs, "threads (default: all cores)");
  app.add_option("--max-registers", tools.max_registers, "refuse kernels that use more");
  app.add_option("--max-shared-bytes", tools.max_shared_bytes, "refuse kernels that use more");
  app.add_option("--max-spill-bytes", tools.max_spill_bytes, "refuse kernels that spill more");
}

void exclude_tools(CLI::App& app, CLI::Option& option) {
  for (const char* name : tool_options) option.excludes(app.get_option(name));
}

}  // namespace phasebit::app
