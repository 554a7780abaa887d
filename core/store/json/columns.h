// The columns of the lines that are lists, as the header of a file names them.
#pragma once

namespace phasebit::store::json {

inline constexpr const char* json_columns =
    R"({"variant":["defaults","axes","id","hash"],"code":["text_hash","sass_class"],)"
    R"("image":["code","module","ptx_hash"],)"
    R"("point":["series","variant","image","repetition","aa_control","sm","first_warp",)"
    R"("megahertz","flags","error","figures"],"error":["step","message"],)"
    R"("figures":["rounds","cycles","ci_low","ci_high","ci_reached","slope","intercept","r2",)"
    R"("worst_residual","modes","readings"],)"
    R"("reading":["value","ci_low","ci_high","ci_reached"],)"
    R"("same_code":["series","variant","sm","first_warp","megahertz","flags","repetitions",)"
    R"("variants_and_images"]})";

}  // namespace phasebit::store::json
