// The same of many images, said once.
#pragma once

#include <string>
#include <vector>

namespace phasebit::foreign {

// What is to be said of one image.
struct ImageNote {
  std::string image, text;
};

// In the order in which each text comes first: "IMAGE: TEXT", or of several images "FILE: 57
// images: TEXT (the first: IMAGE)". `what` is what they are called.
std::vector<std::string> fold_notes(const std::string& file, const std::vector<ImageNote>& notes,
                                    const std::string& what = "images");

}  // namespace phasebit::foreign
