# Where nvcc, NVRTC and CUTLASS's headers come from: wheels of PyPI, into $FOLDER. Sourced by
# tools/corpus, tools/peers and tools/emitted after tools/common.sh.
# shellcheck shell=bash

# wheels FOLDER PACKAGE...: unpacked there, without what they depend on
wheels() {
  local into=$1 python=$ROOT/.venv/bin/python
  shift
  [ -x "$python" ] || python=python3
  quietly "$python" -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
    --root-user-action=ignore --only-binary=:all: --retries 1 --upgrade --target "$into" "$@"
}

# toolkit VERSION: nvcc and what it needs; prints the folder
toolkit() {
  local folder=$FOLDER/toolkit/$1
  if [ ! -x "$folder/nvidia/cu13/bin/nvcc" ]; then
    wheels "$folder" "nvidia-cuda-nvcc==$1.*" "nvidia-cuda-crt==$1.*" "nvidia-nvvm==$1.*" \
      "nvidia-cuda-runtime==$1.*" "nvidia-cuda-cccl==13.*,<=$1.999" >&2 || return 1
    find "$folder/nvidia/cu13/bin" "$folder/nvidia/cu13/nvvm/bin" -type f -exec chmod +x {} +
  fi
  printf '%s\n' "$folder/nvidia/cu13"
}

# nvrtc VERSION: the library of CUDA 12; prints the folder
nvrtc() {
  local folder=$FOLDER/nvrtc/$1
  [ -d "$folder/nvidia/cuda_nvrtc" ] ||
    wheels "$folder" "nvidia-cuda-nvrtc-cu12==$1.*" >&2 || return 1
  printf '%s\n' "$folder/nvidia/cuda_nvrtc"
}

# Prints the folder of CUTLASS's headers.
cutlass_headers() {
  local headers=$FOLDER/cutlass-headers
  [ -d "$headers/cutlass_library" ] || wheels "$headers" nvidia-cutlass >&2 || return 1
  printf '%s\n' "$headers/cutlass_library/source/include"
}
