# Code packed in every way that nvcc and ptxas know. Sourced by tools/corpus.
# shellcheck shell=bash

# Kernels without work whose names share their first thousand characters.
many_names() {
  python3 - <<'PYTHON'
name = "k" + "_of_a_name_without_end" * 46
print(".version 8.0\n.target sm_80\n.address_size 64")
for i in range(2000):
    print(f".visible .entry {name}_{i}(.param .u64 p) {{ .reg .b64 a; ld.param.u64 a, [p]; "
          f"st.global.u32 [a], {i}; ret; }}")
PYTHON
}

make_probes() {
  local kit into=$1 source=$SOURCES/probe.cu way
  kit=$(toolkit "${NVCC_VERSIONS[-1]}") || return 1
  local -a two=(-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a)
  compile "$kit" -lineinfo "${two[@]}" -c "$source" -o "$into/two.o" &&
    compile "$kit" "${two[@]}" -Xcompiler -fPIC -cudart none -shared "$source" \
      -o "$into/two.so" &&
    compile "$kit" -G "${two[@]}" -c "$source" -o "$into/debug.o" &&
    compile "$kit" -rdc=true -DSEPARATE -lineinfo "${two[@]}" -c "$source" \
      -o "$into/relocatable.o" &&
    compile "$kit" -rdc=true -lineinfo "${two[@]}" -c "$SOURCES/probe_other.cu" \
      -o "$into/relocatable_other.o" &&
    compile "$kit" -dlink "${two[@]}" "$into/relocatable.o" "$into/relocatable_other.o" \
      -o "$into/linked.o" &&
    compile "$kit" -cubin -rdc=true -DSEPARATE -arch=sm_90a "$source" \
      -o "$into/relocatable.cubin" &&
    compile "$kit" -dc -gencode arch=compute_90,code=lto_90 "$source" -o "$into/lto_only.o" &&
    compile "$kit" -arch=compute_90 -code=compute_90 -c "$source" -o "$into/ptx_only.o" || return 1
  for way in none speed balance size; do
    compile "$kit" "${two[@]}" -gencode arch=compute_90,code=compute_90 -fatbin \
      -Xfatbin "--compress-mode=$way" "$source" -o "$into/compressed_$way.fatbin" || return 1
  done
  # Both in one library, as -rdc=true leaves them: what is linked, and what it was linked of.
  cp "$into/two.o" "$into/member.o"
  (cd "$into" && ar rcs library.a member.o relocatable_other.o && ar rcs archive_of_linked.a \
    linked.o relocatable.o relocatable_other.o && rm member.o) || return 1
  many_names >"$into/many_names.ptx" &&
    quietly "$kit/bin/ptxas" -arch sm_80 "$into/many_names.ptx" -o "$into/many_names.cubin" &&
    rm "$into/many_names.ptx" && printf 'no code\n' >"$into/text.so"
}
