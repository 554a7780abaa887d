// The axes of a variant, as tables read them: from its key, never from its id.
#pragma once

#include "core/results/record.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace phasebit::report::data {

// Cheap to copy: variants and what the catalogue says of them are shared.
class VariantAxes {
 public:
  VariantAxes() = default;
  VariantAxes(std::shared_ptr<const results::VariantRow> variant,
              std::shared_ptr<const launch::CatalogueFacts> catalogue)
      : variant_(std::move(variant)), catalogue_(std::move(catalogue)) {}

  const results::VariantRow& variant() const { return *variant_; }
  // Another variant of the same catalogue.
  VariantAxes of(std::shared_ptr<const results::VariantRow> variant) const {
    return {std::move(variant), catalogue_};
  }
  bool has(const std::string& axis) const { return variant_->find(axis) != nullptr; }
  // The value; of an axis that it does not have the catalogue's default, else "".
  std::string value(const std::string& axis) const;
  // The value as a number; `otherwise` of one that is none ("every", "").
  int number(const std::string& axis, int otherwise = 0) const;
  // Of its components, else the catalogue's, else "".
  std::string default_of(const std::string& axis) const;
  // The value that tables put first: the catalogue's default, for every variant the same; "" for
  // an axis without one.
  std::string first_value(const std::string& axis) const;
  bool names(const std::string& axis) const;
  // Whether it is a variant as its components declare it: no fork, snippet, edit or padding of one,
  // nor by another ptxas or its flags.
  bool is_as_declared() const;

  // "4 x 4 warps, interleaved", "2 x 2 warps, round_robin", "1 x 1 even/odd lanes", "8 unified
  // warps"
  std::string warp_layout() const;
  // "try_wait", "try_wait, hint 10000000 ns", "test_wait by state": what is waited on and how, by
  // the pattern of the catalogue (core/launch/facts.h); its name for a protocol without one.
  std::string waited_on() const;
  // Axes whose column is "-": at their default, where the protocol says that they mean nothing.
  std::vector<std::string> blank_axes() const;
  // The axes that such a column stands for.
  std::vector<std::string> axes_of_column(const std::string& column) const;
  // "ring/mbarrier": what a stratum of A/A pairs has in common.
  std::string stratum() const { return value("probe") + "/" + value("protocol"); }

 private:
  const launch::ProtocolLabels* protocol() const;

  std::shared_ptr<const results::VariantRow> variant_ =
      std::make_shared<const results::VariantRow>();
  std::shared_ptr<const launch::CatalogueFacts> catalogue_ =
      std::make_shared<const launch::CatalogueFacts>();
};

// The keys of results by the id that rows name. Cheap to copy.
class VariantKeys {
 public:
  VariantKeys() = default;
  explicit VariantKeys(const results::Results& results);
  // Without axes for an id that is not there.
  VariantAxes of(const Word& id) const;
  const std::shared_ptr<const launch::CatalogueFacts>& catalogue() const { return catalogue_; }

 private:
  std::shared_ptr<const launch::CatalogueFacts> catalogue_ =
      std::make_shared<const launch::CatalogueFacts>();
  std::shared_ptr<const std::unordered_map<Word, VariantAxes>> axes_ =
      std::make_shared<const std::unordered_map<Word, VariantAxes>>();
};

}  // namespace phasebit::report::data
