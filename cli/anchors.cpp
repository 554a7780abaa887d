#include "cli/anchors.h"

#include "core/base/hash.h"
#include "gen/render.h"

#include <sstream>

#include <toml++/toml.h>

namespace phasebit {
namespace {

struct Header {
  std::string ptx_version, ptx_target;
  int shared_bytes = 0;
};

LaunchShape launch_of(const toml::table& row, const Header& header) {
  LaunchShape launch;
  launch.threads = row["threads"].value_or(32);
  launch.dynamic_shared_bytes = header.shared_bytes;
  launch.work_amount = row["work_amount"].value_or(0U);
  launch.unit = row["unit"].value_or("cycles per item");
  launch.timed_role = Role::consumer;
  for (int warp = 0; warp < launch.warps(); ++warp) {
    RoleSlice slice;
    slice.warp = warp;
    slice.role = Role::consumer;
    slice.rank = 32 * warp;
    launch.slices.push_back(slice);
  }
  return launch;
}

// The text of the file as statements: comments and blank lines go, as in rendered kernels.
Result<Kernel> kernel_of(const fs::path& path, const std::string& file, const Header& header) {
  PHASEBIT_TRY_ASSIGN(text, read_file(path));
  Kernel kernel;
  kernel.entry = "pb_anchor_" + file;
  kernel.ptx_version = header.ptx_version;
  kernel.ptx_target = header.ptx_target;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.erase(std::min(line.find("//"), line.size()));
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const size_t last = line.find_last_not_of(" \t");
    kernel.statements.push_back(line.substr(first, last - first + 1));
    kernel.source.push_back({"anchors/" + file + ".ptx", number, "", "consumer"});
  }
  kernel.hash = kernel_hash(kernel);
  return kernel;
}

}  // namespace

Result<std::vector<Prepared>> prepare_anchors(const fs::path& templates) {
  const fs::path path = templates / "anchors" / "anchors.toml";
  std::vector<Prepared> anchors;
  try {
    const toml::table file = toml::parse_file(path.string());
    Header header{file["ptx_version"].value_or(""), file["ptx_target"].value_or(""),
                  file["shared_bytes"].value_or(0)};
    const toml::array* rows = file["anchor"].as_array();
    if (rows == nullptr) return fail(Step::spec, "{}: no [[anchor]]", path.string());
    for (const toml::node& node : *rows) {
      const toml::table& row = *node.as_table();
      const std::string name = row["name"].value_or(""), source = row["file"].value_or("");
      Prepared anchor;
      anchor.key.id = "anchor/" + name;
      anchor.key.hash = short_hash(anchor.key.id);
      anchor.key.axes = {{"probe", "anchor"}};
      anchor.head.launch = launch_of(row, header);
      PHASEBIT_TRY_ASSIGN(kernel,
                          kernel_of(templates / "anchors" / (source + ".ptx"), source, header));
      anchor.kernel = std::move(kernel);
      anchors.push_back(std::move(anchor));
    }
  } catch (const toml::parse_error& error) {
    return fail(Step::spec, "{}:{}: {}", path.string(), error.source().begin.line,
                error.description());
  }
  return anchors;
}

}  // namespace phasebit
