// A variant's key as results keep it.
#pragma once

#include "core/launch/facts.h"
#include "core/launch/variant_key.h"

#include <map>
#include <memory>
#include <string>

namespace phasebit::results {

// Where the text of a kernel comes from, as its key says (docs/architecture.md).

enum class Origin { template_, form, tuned, snippet, file, nvcc, llvm };
std::string to_string(Origin origin);

// Of the axes that a key names. What nvcc made is a file too; its own axis says more.
Origin origin_of(const launch::KeyAxes& axes);

// Variants of the same components share what they leave at its default: thousands of them differ in
// a few axes.
struct VariantRow {
  std::string id, hash;
  // Every axis of the components with its default, in the order of the key; null where the key is
  // not known.
  std::shared_ptr<const launch::KeyAxes> defaults;
  // The axes at another value, in the order of the key, then those that no component declares
  // (ptxas, edit, tuned).
  launch::KeyAxes named;

  bool has_key() const { return defaults != nullptr; }
  // Null for an axis that it does not have.
  const std::string* find(const std::string& axis) const;
  // "" for an axis that it does not have.
  std::string value(const std::string& axis) const;
  // The whole key.
  launch::KeyAxes axes() const;
  // The variant that differs from this one in one axis alone, which is at its default there.
  VariantRow without(const std::string& axis) const;
  // Contents, not pointers.
  bool operator==(const VariantRow& other) const;
};

// "ring/mbarrier/st_shared/none/wait=test_wait": the components, then the named axes.
std::string display_id(const launch::KeyAxes& defaults, const launch::KeyAxes& named);

// Makes rows that share their defaults.
class KeyPool {
 public:
  std::shared_ptr<const launch::KeyAxes> share(launch::KeyAxes defaults);
  VariantRow row_of(const launch::VariantKey& key, const launch::CatalogueFacts& facts);

 private:
  std::map<launch::KeyAxes, std::shared_ptr<const launch::KeyAxes>> known_;
};

}  // namespace phasebit::results
