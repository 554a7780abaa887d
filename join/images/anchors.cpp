#include "join/images/anchors.h"

#include "core/base/hash.h"
#include "core/base/toml_table.h"
#include "gen/kernel/context_layout.h"
#include "gen/kernel/render.h"
#include "gen/space/template_set.h"

#include <sstream>

namespace phasebit::join::images {

using ptxas::Kernel;

namespace {

struct Header {
  std::string ptx_version, ptx_target;
  int shared_bytes = 0;
};

launch::LaunchShape launch_of(const toml::table& row, const Header& header) {
  launch::LaunchShape launch;
  launch.threads = row["threads"].value_or(32);
  launch.dynamic_shared_bytes = header.shared_bytes;
  launch.work_amount = row["work_amount"].value_or(0U);
  launch.unit = row["unit"].value_or("cycles per item");
  launch.timed_role = launch::Role::consumer;
  for (int warp = 0; warp < launch.warps(); ++warp) {
    launch::RoleSlice slice;
    slice.warp = warp;
    slice.role = launch::Role::consumer;
    slice.rank = 32 * warp;
    launch.slices.push_back(slice);
  }
  return launch;
}

// The line with {{pb.FIELD}} as a number.
Result<std::string> with_fields(const std::string& line, const std::string& place) {
  nlohmann::json names;
  kernel::add_parameter_block(names);
  std::string out;
  size_t begin = 0;
  for (const space::Tag& tag : space::tags_of(line)) {
    const std::string field = tag.name.starts_with("pb.") ? tag.name.substr(3) : "";
    if (!names["pb"].contains(field))
      return fail(Step::render, "{}: unknown name '{}'", place, tag.name);
    out += line.substr(begin, tag.begin - begin) + names["pb"][field].get<std::string>();
    begin = tag.end;
  }
  return out + line.substr(begin);
}

// The text of a file as statements: comments and blank lines go, as in rendered kernels. A line
// {{> name}} is common/name.ptx.
Status add_text(const fs::path& templates, const std::string& file, Kernel& kernel) {
  PHASEBIT_TRY_ASSIGN(text, base::read_file(templates / file));
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line = kernel::without_comment(line);
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const std::vector<space::Tag> tags = space::tags_of(line);
    if (!tags.empty() && tags.front().kind == '>') {
      PHASEBIT_TRY(add_text(templates, fmt::format("common/{}.ptx", tags.front().name), kernel));
      continue;
    }
    const launch::SourceLine at{file, number, "", "consumer"};
    PHASEBIT_TRY_ASSIGN(statement, with_fields(line.substr(first), at.place()));
    kernel.statements.push_back(std::move(statement));
    kernel.source.push_back(at);
  }
  return {};
}

Result<Kernel> kernel_of(const fs::path& templates, const std::string& file, const Header& header) {
  Kernel kernel;
  kernel.entry = "pb_anchor_" + file;
  kernel.ptx_version = header.ptx_version;
  kernel.ptx_target = header.ptx_target;
  PHASEBIT_TRY(add_text(templates, fmt::format("anchors/{}.ptx", file), kernel));
  kernel.hash = kernel::kernel_hash(kernel);
  return kernel;
}

}  // namespace

Result<std::vector<Prepared>> prepare_anchors(const fs::path& templates) {
  const fs::path path = templates / "anchors" / "anchors.toml";
  std::vector<Prepared> anchors;
  PHASEBIT_TRY_ASSIGN(text, base::read_file(path));
  PHASEBIT_TRY_ASSIGN(file, base::parse_toml_table(text, path.string()));
  Header header{file["ptx_version"].value_or(""), file["ptx_target"].value_or(""),
                file["shared_bytes"].value_or(0)};
  const toml::array* rows = file["anchor"].as_array();
  if (rows == nullptr) return fail(Step::spec, "{}: no [[anchor]]", path.string());
  for (const toml::node& node : *rows) {
    if (!node.is_table()) return fail(Step::spec, "{}: write [[anchor]]", path.string());
    const toml::table& row = *node.as_table();
    const std::string name = row["name"].value_or(""), source = row["file"].value_or("");
    Prepared anchor;
    anchor.key.id = "anchor/" + name;
    anchor.key.hash = base::short_hash(anchor.key.id);
    anchor.key.axes = {{"probe", launch::anchor_probe}, {"anchor", name}};
    anchor.head.launch = launch_of(row, header);
    PHASEBIT_TRY_ASSIGN(kernel, kernel_of(templates, source, header));
    anchor.kernel = std::move(kernel);
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

}  // namespace phasebit::join::images
