# PTX texts of front ends that are Python packages, and of libraries of kernels. Sourced by
# tools/corpus.
# shellcheck shell=bash

# ptx INTO NAME TARGET SOURCE ARGUMENT...: INTO/NAME_TARGET.ptx
ptx() {
  local into=$1 name=$2 target=$3 source=$4 kit
  shift 4
  kit=$(toolkit "${NVCC_VERSIONS[0]}") || return 1
  compile "$kit" -w -O3 -DNDEBUG --expt-relaxed-constexpr -arch="$target" -ptx \
    -o "$into/${name}_$target.ptx" "$@" "$source"
}

make_cutlass_ptx() {
  local into=$1 headers=$2 schedule name target
  local examples=${headers%/include}/examples
  local -a ways=(-I "$headers" -I "${headers%/include}/tools/util/include" -I "$examples/common")
  for schedule in Pingpong Cooperative; do
    ptx "$into" "${schedule,,}" sm_90a "$SOURCES/cutlass_gemm.cu" -DSCHEDULE=$schedule \
      -I "$headers" || return 1
  done
  while read -r target name; do
    ptx "$into" "$(basename "$name" .cu)" "$target" "$examples/$name" "${ways[@]}" \
      -I "$examples/${name%/*}" || return 1
  done <<EXAMPLES
sm_90a 48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu
sm_90a 54_hopper_fp8_warp_specialized_gemm/54_hopper_fp8_warp_specialized_gemm.cu
sm_90a 88_hopper_fmha/88_hopper_fmha.cu
sm_90a cute/tutorial/hopper/wgmma_tma_sm90.cu
sm_100a 70_blackwell_gemm/70_blackwell_fp16_gemm.cu
sm_100a 74_blackwell_gemm_streamk/blackwell_gemm_streamk.cu
EXAMPLES
}

# Three kernels of each of its folders that nvcc compiles by themselves.
make_flashinfer() {
  local source=$FOLDER/flashinfer-source folder kernel target
  [ -d "$source/flashinfer" ] || wheels "$source" flashinfer-python || return 1
  source+=/flashinfer
  find "$source" -name '*_kernel.cu' -printf '%h\n' | sort -u | while read -r folder; do
    case $folder in
      *sm_103a*) target=sm_103a ;;
      *sm_120a*) target=sm_120a ;;
      *sm_110*) target=sm_110a ;;
      *sm90*) target=sm_90a ;;
      *) target=sm_100a ;;
    esac
    find "$folder" -maxdepth 1 -name '*_kernel.cu' | sort | sed -n '1p;3p;7p' |
      while read -r kernel; do
        ptx "$1" "$(basename "$kernel" .cu | cut -c1-60)" $target "$kernel" \
          -I "$source/data/include" -I "$source/data/csrc" -I "$source/data/cutlass/include" \
          2>/dev/null </dev/null || echo "no $(basename "$kernel")"
      done
  done
}

# make_python PART INTO PACKAGE [ARGUMENT...]: with an environment of its own
make_python() {
  local part=$1 into=$2 package=$3 kit
  shift 3
  environment "$FOLDER/venv-$part" "$package" || return 1
  kit=$(toolkit "${NVCC_VERSIONS[0]}") || return 1
  CUDA_HOME=$kit quietly nice "$FOLDER/venv-$part/bin/python" "$SOURCES/ptx_kernels.py" "$part" \
    "$(realpath "$into")" "$@"
}

make_tilelang() {
  local kit
  kit=$(toolkit "${NVCC_VERSIONS[0]}") || return 1
  make_python tilelang "$1" tilelang "$kit/bin/nvcc" "$kit/include" "$kit/include/cccl"
}

make_gimmik() { make_python gimmik "$1" gimmik; }

make_warp() { make_python warp "$1" warp-lang; }

make_numba() { make_python numba "$1" numba-cuda; }

make_tinygrad() { make_python tinygrad "$1" tinygrad; }
