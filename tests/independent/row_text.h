// A row as a line of JSON.
#pragma once

#include "evaluate.h"

#include <cstdio>
#include <string>
#include <vector>

namespace independent {

// What all rows of a run share.
struct Origin {
  std::string device;
  std::string driver;
  std::string nvcc;
};

class JsonLine {
 public:
  void text(const std::string& key, const std::string& value) {
    std::string escaped;
    for (const char c : value) {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    raw(key, '"' + escaped + '"');
  }
  void number(const std::string& key, double value) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.6g", value);
    raw(key, digits);
  }
  void boolean(const std::string& key, bool value) { raw(key, value ? "true" : "false"); }
  template <class T>
  void list(const std::string& key, const std::vector<T>& values) {
    std::string joined;
    for (const T& value : values) {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.10g", static_cast<double>(value));
      joined += (joined.empty() ? "" : ",") + std::string(digits);
    }
    raw(key, '[' + joined + ']');
  }
  std::string line() const { return '{' + fields_ + '}'; }

 private:
  void raw(const std::string& key, const std::string& value) {
    fields_ += (fields_.empty() ? "" : ",") + ('"' + key + "\":") + value;
  }

  std::string fields_;
};

inline std::string formula_text(int small, int large) {
  const std::string s = std::to_string(small), l = std::to_string(large);
  return "(" + l + "*slope_" + l + "-" + s + "*slope_" + s + ")/" + std::to_string(large - small);
}

inline void add_body(JsonLine& json, const Body& body, int items) {
  const std::string suffix = "_" + std::to_string(items);
  json.number("slope" + suffix, body.line.slope);
  json.number("intercept" + suffix, body.line.intercept);
  json.number("r2" + suffix, body.line.r2);
  json.number("residual" + suffix, body.line.worst_residual);
  json.number("segment_difference" + suffix, body.segment_difference);
  json.list("cycles" + suffix, body.medians);
}

inline JsonLine row_head(const Figure& figure, const Origin& origin) {
  JsonLine json;
  json.text("name", figure.name);
  for (const auto& [key, value] : figure.axes) json.text(key, value);
  json.text("device", origin.device);
  json.text("driver", origin.driver);
  json.text("nvcc", origin.nvcc);
  json.boolean("guarded", guarded);
  return json;
}

inline std::string error_text(const Figure& figure, const Origin& origin,
                              const std::string& error) {
  JsonLine json = row_head(figure, origin);
  json.text("error", error);
  return json.line();
}

inline std::string row_text(const Figure& figure, const Origin& origin, const Row& row,
                            const std::vector<uint32_t>& sms, double clock_mhz) {
  JsonLine json = row_head(figure, origin);
  json.list("sm", sms);
  if (figure.peer > 0) json.list("pair", std::vector<uint32_t>{sms[0], sms[figure.peer]});
  json.number("clock_mhz", clock_mhz);
  json.number("value", row.value);
  json.number("half_width", row.half_width);
  json.number("minimum", row.minimum);
  json.number("maximum", row.maximum);
  json.text("unit", "cycles");
  json.text("formula", formula_text(figure.body_items[0], figure.body_items[1]));
  json.number("loop", row.loop);
  json.number("samples", static_cast<double>(row.num_samples));
  json.boolean("not_linear", row.not_linear);
  json.boolean("imprecise", row.imprecise);
  std::vector<double> items;
  for (int i = 1; i <= num_lengths; ++i) items.push_back(i * figure.shortest_chain);
  json.list("items", items);
  add_body(json, row.bodies[0], figure.body_items[0]);
  add_body(json, row.bodies[1], figure.body_items[1]);
  return json.line();
}

}  // namespace independent
