#include "tests/analysis/sass/support.h"

#include "core/base/file.h"
#include "core/base/process.h"

#include <sstream>

namespace phasebit::test {
namespace {

bool is_instruction(const std::string& statement) {
  return !statement.empty() && statement.front() != '.' && statement.front() != '{' &&
         statement.front() != '}' && statement.back() != ':';
}

std::string without_blanks(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// Each line of a verb with its prefix.
std::string labelled(const std::string& prefix, const std::string& lines) {
  std::istringstream in(lines);
  std::string out, line;
  while (std::getline(in, line))
    if (!without_blanks(line).empty()) out += prefix + "| " + line + "\n";
  return out;
}

std::string role_loop(const std::string& role, const std::string& before, const std::string& body) {
  std::string text = labelled(role + ".clock_start", "mov.u64 t0, %clock64;");
  text += labelled(role, before + "\n");
  text += "| " + role + "_loop:\n| .pragma \"nounroll\";\n" + body;
  text += labelled(role, "add.u32 i, i, 1;\nsetp.lt.u32 q, i, n;\n@q bra " + role + "_loop;");
  text += labelled(role + ".clock_end", "mov.u64 t1, %clock64;");
  text += "| st.global.u64 [out], t0;\n| st.global.u64 [out+8], t1;\n| ret;\n";
  return text;
}

std::string address_of_slot(const std::string& role) {
  return labelled(role,
                  "and.b32 a, i, 3;\nshl.b32 a, a, 3;\nadd.u32 a, a, base;\n"
                  "shr.u32 r, i, 2;\nand.b32 r, r, 1;");
}

}  // namespace

Script script(const std::string& text, const std::string& entry) {
  Script result{entry, {}, {}};
  std::istringstream in(text);
  std::string line;
  while (std::getline(in, line)) {
    const std::size_t bar = line.find("| ");
    if (bar == std::string::npos) continue;
    const std::string prefix = without_blanks(line.substr(0, bar));
    const std::size_t dot = prefix.find('.');
    const std::string verb = dot == std::string::npos ? "" : prefix.substr(dot + 1);
    result.statements.push_back(without_blanks(line.substr(bar + 2)));
    result.source.push_back({(verb.empty() ? "probe" : verb) + ".ptx",
                             static_cast<int>(result.statements.size()), verb,
                             prefix.substr(0, dot)});
  }
  return result;
}

Script ring(const RingVerbs& verbs, const std::string& entry) {
  std::string text = "| .visible .entry " + entry + "(.param .u64 pout, .param .u32 pn)\n";
  text +=
      "| {\n| .reg .b32 a, base, r, i, n, tid;\n| .reg .b64 out, s, t0, t1;\n"
      "| .reg .pred p, q;\n| .reg .f32 f;\n| ld.param.u64 out, [pout];\n"
      "| ld.param.u32 n, [pn];\n| mov.u32 base, sm;\n| mov.u32 tid, %tid.x;\n"
      "| mov.u32 i, 0;\n| mov.f32 f, 0f3F800000;\n| setp.ge.u32 q, tid, 32;\n"
      "| @q bra consumer_begin;\n";
  std::string producer, consumer;
  for (int copy = 0; copy < verbs.copies; ++copy) {
    producer += "| {\n" + address_of_slot("producer") +
                labelled("producer.acquire", verbs.acquire) +
                labelled("producer.commit", verbs.commit) + "| }\n";
    consumer += "| {\n" + address_of_slot("consumer") + labelled("consumer.wait", verbs.wait) +
                labelled("consumer.work", verbs.work) +
                labelled("consumer.release", verbs.release) + "| }\n";
  }
  text += role_loop("producer", "", producer) + "| consumer_begin:\n" +
          role_loop("consumer", verbs.before_loop, consumer) + "| }\n";
  return script(text, entry);
}

std::optional<Tools> find_tools() {
  const fs::path bin = base::source_root() / ".toolchains/13.5.37/nvidia/cu13/bin";
  if (!fs::exists(bin / "ptxas") || !fs::exists(bin / "nvdisasm")) return std::nullopt;
  return Tools{(bin / "ptxas").string(), (bin / "nvdisasm").string()};
}

const disassembly::Disassembler& cached_disassembler() {
  static const base::TempDir folder = base::TempDir::create().value();
  static const disassembly::Disassembler disassembler =
      disassembly::Disassembler::open(find_tools()->nvdisasm, folder.path()).value();
  return disassembler;
}

Result<std::string> assemble(const std::vector<Script>& scripts, const std::string& target,
                             bool with_loc, const std::string& version) {
  std::string ptx = ".version " + version + "\n.target " + target + "\n.address_size 64\n" +
                    (with_loc ? ".file 1 \"pb\"\n" : "") + ".extern .shared .align 128 .b8 sm[];\n";
  for (const Script& one : scripts)
    for (std::size_t i = 0; i < one.statements.size(); ++i) {
      if (with_loc && is_instruction(one.statements[i])) ptx += fmt::format(".loc 1 {} 0\n", i + 1);
      ptx += one.statements[i] + "\n";
    }
  PHASEBIT_TRY_ASSIGN(folder, base::TempDir::create());
  const std::string source = (folder.path() / "a.ptx").string();
  const std::string cubin = (folder.path() / "a.cubin").string();
  PHASEBIT_TRY(base::write_file(source, ptx));
  std::vector<std::string> arguments = {find_tools()->ptxas, "-arch", target, source, "-o", cubin};
  if (with_loc) arguments.push_back("-lineinfo");
  PHASEBIT_TRY_ASSIGN(output, base::run_process(arguments));
  if (!output.ok())
    return fail(Step::assemble, "{}: {}", output.how_it_ended(), output.err + output.out);
  return base::read_file(cubin);
}

Result<std::map<std::string, cubin::SassKernel>> kernels_of(
    const disassembly::Disassembler& disassembler, const cubin::Cubin& cubin) {
  std::vector<const cubin::CubinKernel*> all;
  for (const cubin::CubinKernel& kernel : cubin.kernels) all.push_back(&kernel);
  const auto listings = disassembler.listings(cubin.sm, all);
  std::map<std::string, cubin::SassKernel> kernels;
  for (std::size_t i = 0; i < all.size(); ++i) {
    PHASEBIT_TRY_ASSIGN(joined, disassembly::join_kernel(*all[i], listings[i]));
    kernels.emplace(all[i]->entry, std::move(joined));
  }
  return kernels;
}

}  // namespace phasebit::test
