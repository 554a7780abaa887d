#!/bin/sh
# Makes the .ptx files of this folder anew, with the nvcc of CUDA 13.0: sh tests/gen/guard/make.sh
set -e
cd "$(dirname "$0")"
for arch in 80 90; do
  for name in barrier pipeline; do
    nvcc -ptx -std=c++17 -arch=sm_$arch $name.cu -o ${name}_sm_$arch.ptx
  done
done
nvcc -ptx -std=c++17 -arch=sm_90 -lineinfo wait_loop.cu -o wait_loop_sm_90.ptx
nvcc -ptx -std=c++17 -arch=sm_90 cluster.cu -o cluster_sm_90.ptx
# The compiler writes where it was called.
sed -i "s#\"$PWD/#\"#" wait_loop_sm_90.ptx
nvcc -ptx -std=c++17 -arch=sm_75 memory.cu -o memory_sm_75.ptx
# Without optimisation; what a debugger reads is not needed.
nvcc -G -ptx -std=c++17 -arch=sm_90 memory.cu -o memory_debug_sm_90.ptx
sed -i -e "s#\"$PWD/#\"#" -e 's/, debug//' -e '/^\t\.section/,$d' memory_debug_sm_90.ptx
# The same waits at three levels, without lines, comments and labels that nothing jumps to.
shapes() {
  out=$1
  shift
  nvcc -ptx -rdc=true -std=c++17 -arch=sm_90 "$@" shapes.cu -o "$out"
  sed -i -e 's/, debug//' -e '/^\t\.section/,$d' -e '/^\t\.\(loc\|file\)\t/d' -e '/^\t\?\/\//d' \
    -e '/^$/d' "$out"
  awk 'NR == FNR { if (match($0, /bra(\.uni)?[ \t]+\$[A-Za-z0-9_]+/)) {
           label = substr($0, RSTART, RLENGTH); sub(/.*[ \t]/, "", label); used[label] = 1 }
         next }
       /^\$L__[A-Za-z0-9_]+:$/ && !(substr($0, 1, length($0) - 1) in used) { next }
       { print }' "$out" "$out" >"$out.new"
  mv "$out.new" "$out"
}
shapes shapes_sm_90.ptx
shapes shapes_plain_sm_90.ptx -Xcicc -O0
shapes shapes_debug_sm_90.ptx -G
