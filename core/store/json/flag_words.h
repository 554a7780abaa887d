// The words of version 4 for what are typed fields of a row: "start_offset:7", "padding:208",
// "gap:3@1", "sms:4,5,12", "gpu:1980/3201/645", those of its quality, and "same_class:ID".
#pragma once

#include "core/record/record.h"

#include <string>
#include <vector>

namespace phasebit::store::json {

std::vector<std::string> flag_words_of(const record::PointRow& row);

// Sets what the words say, and the verdict by them and by the row's error. False when a word is not
// one of these.
bool set_by_flag_words(const std::vector<std::string>& words, record::PointRow& row);

}  // namespace phasebit::store::json
