#include "app/sass/options.h"

namespace phasebit::app {

void add_source(CLI::App& command, std::string& source) {
  command
      .add_option("--source", source,
                  "of code that was inlined, the line to show: inner (the default), outer (what "
                  "the kernel's author wrote), or a file (its innermost line there)")
      ->check(not_empty());
}

void add_source_lines(CLI::App& command, std::string& source) {
  command
      .add_option("--source", source,
                  "of files: count by source line too; of code that was inlined it is inner, "
                  "outer, or a file's, as `sass show` takes them")
      ->check(not_empty());
}

void add_reading(CLI::App& command, join::sass::SassShowRequest& options) {
  CLI::Option* hot =
      command.add_flag("--hot", options.excerpt.hot,
                       "show the hot paths of the timed loops alone; of a file, all loops");
  CLI::Option* loop = command.add_option("--loop", options.excerpt.loop,
                                         "show a loop alone, by its number in the table");
  loop->check(at_least_one())->excludes(hot);
  command
      .add_option("--verb", options.excerpt.verb,
                  "show a verb alone, such as producer.acquire; of a file an inlined "
                  "function")
      ->excludes(hot)
      ->excludes(loop);
  command.add_flag("--waits", options.waits,
                   "say for each wait which instructions set its scoreboard");
  command.add_flag("--ptx", options.ptx, "of a file: the PTX that it carries, above its code");
  command.add_flag("--cfg", options.flow,
                   "print the flow graph for Graphviz (dot -Tsvg) in place of the listing");
}

void add_files(CLI::App& command, std::vector<std::string>& files, std::string& kernel) {
  command.add_option("files", files, "code files in place of variants (see show)");
  command.add_option("--kernel", kernel, "of files: symbol, C++ name, or a part of either")
      ->check(not_empty());
}

}  // namespace phasebit::app
