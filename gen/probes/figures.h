// A variant's point with the figures of its plan in it: what expressions of facts, flags, numbers
// and gates are evaluated on.
#pragma once

#include "core/image/variant_key.h"
#include "gen/catalogue/catalogue.h"

#include <map>
#include <string>

namespace phasebit::probes {

class Figures {
 public:
  // Step::spec when the key is of another catalogue.
  static Result<Figures> of(const catalogue::Catalogue& catalogue,
                            const image::VariantKey& variant);

  void set(const std::map<std::string, int>& figures);
  const catalogue::Component& chosen(catalogue::ComponentKind kind) const {
    return catalogue_->chosen(kind, point_);
  }
  const catalogue::Catalogue& catalogue() const { return *catalogue_; }
  const catalogue::Values& point() const { return point_; }

  // Step::spec when it names a figure that is not set, or cannot be evaluated.
  Result<int> number(const catalogue::Expression& expression) const;
  Result<bool> holds(const catalogue::Expression& expression) const;
  // A fact that a component may lack: 0 and false then.
  Result<int> number(const std::optional<catalogue::Expression>& expression) const;
  Result<bool> holds(const std::optional<catalogue::Expression>& expression) const;
  // Whether every figure that it names is set.
  bool knows(const catalogue::Expression& expression) const;

 private:
  const catalogue::Catalogue* catalogue_ = nullptr;
  catalogue::Values point_;
  std::map<std::string, int> figures_;
};

}  // namespace phasebit::probes
