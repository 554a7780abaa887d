// The small catalogue of the tests, and copies of it with a file changed.
#pragma once

#include "core/base/file.h"
#include "gen/space/catalogue.h"
#include "gen/space/spec.h"

#include <string>

#include <gtest/gtest.h>

namespace phasebit::test {

inline fs::path fixture_templates() {
  return base::source_root() / "tests" / "gen" / "catalogue";
}

inline space::Catalogue load_fixture() {
  auto catalogue = space::Catalogue::load(fixture_templates());
  if (!catalogue) bug(catalogue.error().text());
  return std::move(*catalogue);
}

class Folder {
 public:
  Folder() : folder_(std::move(base::TempDir::create().value())) {}
  const fs::path& path() const { return folder_.path(); }

  void copy_fixture() { fs::copy(fixture_templates(), path(), fs::copy_options::recursive); }
  void write(const std::string& name, const std::string& text) {
    if (!base::write_file(path() / name, text)) bug("cannot write " + name);
  }
  std::string read(const std::string& name) { return base::read_file(path() / name).value(); }

  // The error with names relative to the folder.
  std::string text(const Error& error) const {
    std::string out = error.text();
    const std::string root = path().string() + "/";
    for (size_t at = out.find(root); at != std::string::npos; at = out.find(root))
      out.erase(at, root.size());
    return out;
  }

 private:
  base::TempDir folder_;
};

}  // namespace phasebit::test
