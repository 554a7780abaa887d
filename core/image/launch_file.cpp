#include "core/image/launch_file.h"

#include "core/base/fields_toml.h"

namespace phasebit::image {
namespace {

constexpr const char* table = "launch";

CapturedLaunch read_launch(base::TomlReader& reader) {
  CapturedLaunch made;
  base::must_have(reader, "kernel", "write `kernel = \"NAME\"`: the entry's name");
  made.kernel = reader.text_or("kernel", {});
  made.times = base::toml_number(reader, "times", 1, 1);
  made.registers = base::toml_number(reader, "registers", 0, 0);
  base::read_fields(reader, made.launch);
  if (!reader.status()) return made;
  if (const auto wrong = complaint_about(made.launch)) reader.refuse("kernel", *wrong);
  return made;
}

}  // namespace

Result<std::vector<CapturedLaunch>> read_launch_file(const fs::path& path) {
  PHASEBIT_TRY_ASSIGN(toml, base::read_toml(path));
  return read_launches(toml, path.string());
}

Result<std::vector<CapturedLaunch>> read_launches(const base::TomlValue& toml,
                                                  const std::string& file) {
  Status status;
  base::TomlReader top(file, toml, "the file", {table}, status);
  std::vector<std::string> keys = base::toml_keys<WholeLaunch>();
  keys.insert(keys.begin(), {"kernel", "times", "registers"});
  std::vector<CapturedLaunch> launches;
  for (const base::TomlValue* one : top.tables(table)) {
    base::TomlReader reader(file, *one, table, keys, status);
    launches.push_back(read_launch(reader));
  }
  PHASEBIT_TRY(status);
  if (launches.empty()) return with_hint(fail(Step::spec, "{}: no launch", file), "[[launch]]");
  return launches;
}

std::string launch_file_text(const std::vector<CapturedLaunch>& launches,
                             const std::string& made_by) {
  std::string text = fmt::format("# {}\n", made_by);
  for (const CapturedLaunch& one : launches) {
    text += fmt::format("\n[[{}]]\nkernel = {}\ntimes = {}\n", table, base::in_quotes(one.kernel),
                        one.times);
    if (one.registers > 0) text += fmt::format("registers = {}\n", one.registers);
    base::write_fields(one.launch, "", [&](const char* key, const auto& value) {
      if constexpr (base::is_list_of_tables<std::remove_cvref_t<decltype(value)>>) {
        text += fmt::format("{} = [\n", key);
        for (const auto& each : value) text += fmt::format("  {},\n", base::toml_of(each));
        text += "]\n";
      } else {
        text += fmt::format("{} = {}\n", key, base::toml_of(value));
      }
    });
  }
  return text;
}

}  // namespace phasebit::image
