#include "gen/reduce/flat_kernel.h"

#include "gen/kernel/render.h"

#include <algorithm>

namespace phasebit::reduce {

using ptx::names_in;
using ptx::PtxStatement;
using ptxas::Kernel;

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::size_t declaration_columns = 96;

bool declares_registers(const PtxStatement& statement) {
  return statement.part == PtxStatement::Part::directive && statement.name.starts_with(".reg ");
}

// "word<4>" -> word0 .. word3
std::vector<std::string> declared_names(const std::string& operand) {
  const std::size_t open = operand.find('<');
  if (open == std::string::npos) return {operand};
  std::vector<std::string> names;
  const int count = std::atoi(operand.c_str() + open + 1);
  for (int i = 0; i < count; ++i) names.push_back(operand.substr(0, open) + std::to_string(i));
  return names;
}

// Lines that hold a brace and more ("{ .reg .pred p;") as several.
std::vector<std::string> split_braces(const std::vector<std::string>& lines) {
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    std::string rest = line.substr(std::min(line.find_first_not_of(blanks), line.size()));
    while (!rest.empty() && (rest.front() == '{' || rest.front() == '}')) {
      out.emplace_back(1, rest.front());
      rest.erase(0, std::min(rest.find_first_not_of(blanks, 1), rest.size()));
    }
    const bool closes = rest.ends_with('}') && rest.find(';') < rest.size() - 1;
    if (closes) rest = rest.substr(0, rest.find_last_of(';') + 1);
    if (!rest.empty()) out.push_back(rest);
    if (closes) out.emplace_back("}");
  }
  return out;
}

struct Scope {
  int parent = -1;
  std::map<std::string, std::string> names;  // as written -> as it is called now
};

class Flattener {
 public:
  explicit Flattener(FlatKernel& out) : out_(out) {}

  void declare(const std::vector<PtxStatement>& body) {
    scopes_.emplace_back();
    int scope = 0;
    for (const PtxStatement& statement : body) {
      scope_of_.push_back(scope);
      if (statement.part == PtxStatement::Part::brace && statement.name == "{") {
        scopes_.push_back({scope, {}});
        scope = static_cast<int>(scopes_.size()) - 1;
      } else if (statement.part == PtxStatement::Part::brace) {
        scope = std::max(0, scopes_[at(scope)].parent);
      } else if (statement.part == PtxStatement::Part::label) {
        name(scope, statement.name);
      } else if (declares_registers(statement)) {
        for (const std::string& operand : statement.operands)
          for (const std::string& one : declared_names(operand))
            out_.registers[name(scope, one)] = statement.name.substr(5);
      }
    }
  }

  void take(const std::vector<PtxStatement>& body) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      PtxStatement statement = body[i];
      if (statement.part == PtxStatement::Part::brace || declares_registers(statement)) continue;
      const auto now = [&](std::string_view name) { return called(scope_of_[i], name); };
      if (statement.part == PtxStatement::Part::label) statement.name = now(statement.name);
      statement.guard = ptx::replace_names(statement.guard, now);
      for (std::string& operand : statement.operands) operand = ptx::replace_names(operand, now);
      out_.body.push_back({static_cast<int>(i) + 1, std::move(statement)});
    }
  }

 private:
  static std::size_t at(int scope) { return static_cast<std::size_t>(scope); }
  const std::string& name(int scope, const std::string& written) {
    std::string unique = written;
    for (int n = 2; !used_.insert(unique).second; ++n) unique = fmt::format("{}_{}", written, n);
    return scopes_[at(scope)].names[written] = unique;
  }
  std::string called(int scope, std::string_view written) const {
    for (; scope >= 0; scope = scopes_[at(scope)].parent) {
      const auto found = scopes_[at(scope)].names.find(std::string(written));
      if (found != scopes_[at(scope)].names.end()) return found->second;
    }
    return std::string(written);
  }

  FlatKernel& out_;
  std::vector<Scope> scopes_;
  std::vector<int> scope_of_;  // by statement
  std::set<std::string> used_;
};

// ".reg .b32 a, b;" in lines that can be read.
std::vector<std::string> declarations(const FlatKernel& kernel) {
  std::set<std::string> mentioned;
  for (const FlatLine& line : kernel.body)
    for (const auto& names : {ptx::written_names(line.statement), ptx::read_names(line.statement)})
      mentioned.insert(names.begin(), names.end());
  std::map<std::string, std::vector<std::string>> by_type;
  for (const auto& [name, type] : kernel.registers)
    if (mentioned.contains(name)) by_type[type].push_back(name);
  std::vector<std::string> lines;
  for (const auto& [type, names] : by_type) {
    std::string line;
    for (const std::string& name : names) {
      if (line.empty() || line.size() + name.size() > declaration_columns) {
        if (!line.empty()) lines.push_back(line + ";");
        line = fmt::format(".reg {} {}", type, name);
      } else {
        line += ", " + name;
      }
    }
    lines.push_back(line + ";");
  }
  return lines;
}

}  // namespace

Result<FlatKernel> flatten(const Kernel& kernel) {
  const std::vector<std::string> lines = split_braces(kernel.statements);
  const auto open = std::find(lines.begin(), lines.end(), "{");
  FlatKernel flat{kernel.ptx_version, kernel.ptx_target, {}, {}, {}, {}};
  std::string signature;
  int id = -1;
  for (auto line = lines.begin(); line != open; ++line) {
    if (signature.find(')') == std::string::npos) {
      signature += (signature.empty() ? "" : " ") + *line;
    } else {
      flat.head.push_back({id--, ptx::take_apart(*line)});
    }
  }
  const std::size_t from = signature.find('('), to = signature.rfind(')');
  if (open == lines.end() || lines.back() != "}" || from == std::string::npos ||
      to == std::string::npos)
    return fail(Step::assemble, "{}: no kernel with parameters and a body", kernel.entry);
  flat.parameters = signature.substr(from + 1, to - from - 1);
  std::vector<PtxStatement> body;
  for (auto line = open + 1; line != lines.end() - 1; ++line)
    body.push_back(ptx::take_apart(*line));
  Flattener flattener(flat);
  flattener.declare(body);
  flattener.take(body);
  return flat;
}

bool mentions(const FlatKernel& kernel, const std::string& name) {
  return std::any_of(kernel.body.begin(), kernel.body.end(), [&](const FlatLine& line) {
    return std::any_of(line.statement.operands.begin(), line.statement.operands.end(),
                       [&](const auto& operand) {
                         const std::vector<std::string> names = names_in(operand);
                         return std::find(names.begin(), names.end(), name) != names.end();
                       });
  });
}

std::string first_parameter(const FlatKernel& kernel) {
  const std::vector<std::string> names = names_in(kernel.parameters);
  return names.empty() ? std::string() : names.front();
}

Kernel as_kernel(const FlatKernel& kernel, const std::string& entry) {
  Kernel made;
  made.entry = entry;
  made.ptx_version = kernel.ptx_version;
  made.ptx_target = kernel.ptx_target;
  const std::vector<std::string> parameters = names_in(kernel.parameters);
  const bool needed = std::any_of(parameters.begin(), parameters.end(),
                                  [&](const auto& name) { return mentions(kernel, name); });
  made.statements.push_back(
      fmt::format(".visible .entry {}({})", entry, needed ? kernel.parameters : ""));
  for (const FlatLine& line : kernel.head)
    made.statements.push_back(ptx::put_together(line.statement));
  made.statements.emplace_back("{");
  for (std::string& line : declarations(kernel)) made.statements.push_back(std::move(line));
  for (const FlatLine& line : kernel.body)
    made.statements.push_back(ptx::put_together(line.statement));
  made.statements.emplace_back("}");
  made.hash = kernel::kernel_hash(made);
  return made;
}

}  // namespace phasebit::reduce
