// Guards PTX text in tests, and shows what came of it.
#pragma once

#include "core/base/file.h"
#include "core/base/process.h"
#include "gen/guard/guard.h"
#include "tests/home.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace phasebit::test {

inline std::string sites_of(const guard::GuardedPtx& guarded) {
  std::string out;
  for (const launch::WaitSite& site : guarded.sites)
    out += fmt::format("{} {} {}({}){}; ", site.entry, launch::to_string(site.kind),
                       site.verb.empty() ? "" : site.verb + " ", site.operand,
                       site.address.empty() ? "" : " at " + site.address);
  return out;
}

inline guard::GuardedPtx guarded(const std::string& text, const std::string& name = "t.ptx") {
  const auto file = ptx::read_ptx(text, name);
  if (!file) ADD_FAILURE() << file.error().text();
  auto made = guard::guard(*file);
  if (!made) ADD_FAILURE() << made.error().text();
  return made ? *made : guard::GuardedPtx{};
}

inline std::string kernel(const std::string& body, const std::string& more = "") {
  return ".version 8.1\n.target sm_90a\n.address_size 64\n" + more +
         ".visible .entry k(.param .u64 p)\n{\n.reg .pred done, q, r;\n.reg .b32 a, b, v, t;\n"
         ".reg .b64 w, x, now;\n" +
         body + "\nret;\n}\n";
}

inline std::string guard_fixture(const std::string& name) {
  return base::read_file(base::source_root() / "tests" / "gen" / "guard" / name).value();
}

inline fs::path guard_ptxas() {
  return test::home().data / ".toolchains" / "13.5.37" / "nvidia" / "cu13" / "bin" / "ptxas";
}

// What ptxas says against the guarded text; "" where it takes it.
inline std::string refused_by_ptxas(const std::string& text, const std::string& arch,
                                    const std::vector<std::string>& flags = {}) {
  const base::TempDir folder = std::move(*base::TempDir::create());
  EXPECT_TRUE(base::write_file(folder.path() / "g.ptx", ptx::write_ptx(guarded(text).file)));
  std::vector<std::string> words = {guard_ptxas().string(), "-arch=" + arch,
                                    (folder.path() / "g.ptx").string(), "-o",
                                    (folder.path() / "g.cubin").string()};
  words.insert(words.end(), flags.begin(), flags.end());
  const auto output = base::run_process(words);
  return output && output->ok() ? std::string()
                                : (output ? output->how_it_ended() + output->err : "no process");
}

// The body in a kernel for sm_90a, and the same for sm_100a.
inline std::string body_refused_by_ptxas(const std::string& body) {
  std::string text = kernel(body);
  std::string said = refused_by_ptxas(text, "sm_90a");
  if (body.find("wgmma") != std::string::npos) return said;
  text.replace(0, text.find(".address_size"), ".version 8.6\n.target sm_100a\n");
  return said + refused_by_ptxas(text, "sm_100a");
}

}  // namespace phasebit::test
