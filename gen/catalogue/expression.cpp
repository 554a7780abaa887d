#include "gen/catalogue/expression.h"

#include <algorithm>

namespace phasebit::catalogue {

// One evaluation: the failure is kept aside, so that the values stay plain integers.
struct Expression::Evaluation {
  const Expression& expression;
  const Values& values;
  const char* failure = nullptr;

  std::int64_t fail_with(const char* what) {
    failure = what;
    return 0;
  }

  std::int64_t arithmetic(Op op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    bool overflows = false;
    switch (op) {
      case Op::add: overflows = __builtin_add_overflow(a, b, &result); break;
      case Op::subtract: overflows = __builtin_sub_overflow(a, b, &result); break;
      case Op::multiply: overflows = __builtin_mul_overflow(a, b, &result); break;
      case Op::divide:
      case Op::remainder:
        if (b == 0) return fail_with("divides by zero");
        if (b == -1) return op == Op::divide ? arithmetic(Op::subtract, 0, a) : 0;
        return op == Op::divide ? a / b : a % b;
      case Op::equal: return a == b ? 1 : 0;
      case Op::unequal: return a != b ? 1 : 0;
      case Op::less: return a < b ? 1 : 0;
      case Op::less_equal: return a <= b ? 1 : 0;
      case Op::literal:
      case Op::name:
      case Op::in:
      case Op::negate:
      case Op::logical_not:
      case Op::logical_and:
      case Op::logical_or:
      case Op::choose: bug("no operation of two integers");
    }
    return overflows ? fail_with("overflows") : result;
  }

  std::int64_t run(int index) {
    const Node& node = expression.nodes_[static_cast<size_t>(index)];
    const auto& members = expression.members_;
    switch (node.op) {
      case Op::literal: return node.number;
      case Op::name: return values[static_cast<size_t>(node.number)];
      case Op::in:
        return std::count(members.begin() + node.b, members.begin() + node.c, run(node.a)) > 0;
      case Op::negate: return arithmetic(Op::subtract, 0, run(node.a));
      case Op::logical_not: return run(node.a) == 0 ? 1 : 0;
      case Op::logical_and: return run(node.a) != 0 && run(node.b) != 0 ? 1 : 0;
      case Op::logical_or: return run(node.a) != 0 || run(node.b) != 0 ? 1 : 0;
      case Op::choose: return run(node.a) != 0 ? run(node.b) : run(node.c);
      case Op::add:
      case Op::subtract:
      case Op::multiply:
      case Op::divide:
      case Op::remainder:
      case Op::equal:
      case Op::unequal:
      case Op::less:
      case Op::less_equal: break;
    }
    const std::int64_t a = run(node.a);
    return arithmetic(node.op, a, run(node.b));
  }
};

Result<std::int64_t> Expression::number(const Values& values) const {
  Evaluation evaluation{*this, values};
  const std::int64_t result = evaluation.run(static_cast<int>(nodes_.size()) - 1);
  if (evaluation.failure != nullptr) return fail(Step::spec, "'{}' {}", text_, evaluation.failure);
  return result;
}

Result<bool> Expression::holds(const Values& values) const {
  return number(values).map([](std::int64_t result) { return result != 0; });
}

std::vector<int> Expression::slots() const {
  std::vector<int> all;
  for (const Node& node : nodes_)
    if (node.op == Op::name) all.push_back(static_cast<int>(node.number));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace phasebit::catalogue
