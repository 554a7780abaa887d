#include "core/base/home.h"

#include <cstdlib>

namespace phasebit::base {
namespace {

constexpr const char* from_program = PHASEBIT_DATA_FROM_PROGRAM;  // "../share/phasebit"
constexpr const char* version_file = "VERSION";
constexpr const char* install_again =
    "run `meson install` again, or set PHASEBIT_HOME to a checkout or to PREFIX/share/phasebit of "
    "this version";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

bool has_data(const fs::path& folder) {
  return is_there(folder / "templates" / "README.md");
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// As the XDG base directory specification has it: what is not an absolute path does not count.
Result<fs::path> user_folder(const std::string& xdg, const char* xdg_name, const std::string& user,
                             const char* below) {
  if (fs::path(xdg).is_absolute()) return fs::path(xdg) / "phasebit";
  if (fs::path(user).is_absolute()) return fs::path(user) / below / "phasebit";
  return with_hint(fail(Step::io, "neither $HOME nor ${} names a folder", xdg_name),
                   "set one of them: phasebit keeps files below it");
}

Status check_version(const fs::path& data) {
  const auto text_read = read_file(data / version_file);
  if (!text_read)
    return with_hint(fail(Step::io, "{} is not whole: it has no VERSION", data.string()),
                     install_again);
  const std::string& text = *text_read;
  const std::string version = text.substr(0, text.find('\n'));
  if (version == program_version()) return {};
  return with_hint(fail(Step::io, "{} is of version '{}', this program of {}", data.string(),
                        version, program_version()),
                   install_again);
}

// Of PREFIX/share/phasebit: PREFIX/lib/python3.11/site-packages, where pip puts ptxas.
fs::path packages_of(const fs::path& data) {
  std::error_code missing;
  const fs::path libraries = data.parent_path().parent_path() / "lib";
  for (const auto& entry : fs::directory_iterator(libraries, missing))
    if (entry.path().filename().string().starts_with("python3") &&
        is_there(entry.path() / "site-packages" / "nvidia"))
      return entry.path() / "site-packages";
  return {};
}

Result<Home> installed_home(const fs::path& data, const Surroundings& around) {
  PHASEBIT_TRY(check_version(data));
  PHASEBIT_TRY_ASSIGN(cache,
                      user_folder(around.xdg_cache, "XDG_CACHE_HOME", around.user, ".cache"));
  PHASEBIT_TRY_ASSIGN(own,
                      user_folder(around.xdg_data, "XDG_DATA_HOME", around.user, ".local/share"));
  return Home{data, around.current, own / "toolchains", cache, true, packages_of(data)};
}

Result<Home> home_in(const fs::path& data, const Surroundings& around) {
  if (is_there(data / version_file)) return installed_home(data, around);
  return Home{data, data, data / ".toolchains", data / ".cache", false};
}

}  // namespace

std::string Home::toolchain_command() const {
  return installed ? (data / "tools" / "toolchain").string() : "tools/toolchain";
}

Surroundings surroundings() {
  std::error_code ignored;
  return {fs::read_symlink("/proc/self/exe", ignored),
          fs::current_path(ignored),
          variable("PHASEBIT_HOME"),
          variable("HOME"),
          variable("XDG_CACHE_HOME"),
          variable("XDG_DATA_HOME")};
}

Result<Home> find_home(const Surroundings& around) {
  if (!around.chosen.empty()) {
    if (has_data(around.chosen)) return home_in(around.chosen, around);
    return with_hint(
        fail(Step::io, "$PHASEBIT_HOME ({}) has no templates/README.md", around.chosen),
        "unset it, or let it name a checkout or PREFIX/share/phasebit");
  }
  const fs::path folder = around.program.parent_path();
  const fs::path shared = (folder / from_program).lexically_normal();
  // A folder that is there without its VERSION was not installed whole.
  if (has_data(shared)) return installed_home(shared, around);
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (has_data(above)) return home_in(above, around);
  return with_hint(fail(Step::io,
                        "phasebit's data is missing: no templates/README.md in {}, nor in a folder "
                        "above {}",
                        shared.string(), around.program.string()),
                   install_again);
}

std::optional<fs::path> find_beside_program(const std::vector<fs::path>& places) {
  std::error_code ignored;
  for (fs::path folder = surroundings().program.parent_path();; folder = folder.parent_path()) {
    for (const fs::path& place : places)
      if (fs::exists(folder / place, ignored)) return folder / place;
    if (folder == folder.root_path() || folder.empty()) return {};
  }
}

std::string_view program_version() {
  return PHASEBIT_VERSION;
}

}  // namespace phasebit::base
