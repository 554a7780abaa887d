# What quickstart, test, benchmark, pictures, gpu-bundle and fuzz share: --help, and setting up a
# bare Debian bookworm, step by step, each step silent when its work is already done. Sourced, not
# run.
# shellcheck shell=bash

set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$ROOT/build
MESON_VERSION=1.12.0
LIZARD_VERSION=1.24.3
VL_CONVERT_VERSION=1.9.0.post1
PANDAS_VERSION=3.1.1
ZSTANDARD_VERSION=0.25.0
DUCKDB_VERSION=2.0.0
TOOLCHAIN_VERSION=$(sed -n 's/.*nvidia-cuda-nvcc==\([0-9.]*\)".*/\1/p' "$ROOT/pyproject.toml")
# Older ones that the tests compare it with.
TEST_TOOLCHAINS=(11.8.89 12.4.131)
export DEBIAN_FRONTEND=noninteractive

say() { printf '%s\n' "== $*"; }

fail() {
  printf '%s\n' "$(basename "$0"): $*" >&2
  exit 1
}

# The words of a script about itself are the comment that it begins with. Asked for before anything
# is installed or built.
if [ "${1:-}" = --help ] || [ "${1:-}" = -h ]; then
  sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"
  exit
fi

# Runs a command; shows the end of what it said only when it fails.
quietly() {
  local said status=0
  said=$("$@" 2>&1) || status=$?
  [ $status = 0 ] || printf '%s\n' "$said" | tail -30 >&2
  return $status
}

# Package and what it is for.
BUILD_PACKAGES=(
  "g++|the C++ compiler"
  "ninja-build|runs the build"
  "pkg-config|finds libraries for the build"
  "cmake|finds tl::expected, which has no pkg-config file"
  "python3-venv|.venv for Meson"
  "ca-certificates|downloads from PyPI"
  "git|names the commit in what is made"
  "libfmt-dev|text formatting"
  "libexpected-dev|results that are a value or an error"
  "libkainjow-mustache-dev|templates"
  "libtomlplusplus-dev|spec files"
  "nlohmann-json3-dev|JSON"
  "libcli11-dev|the command line"
  "libsqlite3-dev|the result store"
  "libsqlitecpp-dev|the result store"
  "libelf-dev|reading cubins"
  "libdw-dev|reading their line tables"
  "libzstd-dev|results and cubins are packed"
  "liblz4-dev|so are those of older toolkits"
  "libxxhash-dev|content hashes"
  "libbenchmark-dev|Google Benchmark, under phasebit-bench"
  "libgtest-dev|the tests"
)
TEST_PACKAGES=(
  "clang-format-22|the formatting test"
  "clang-tidy-22|the static checks"
  "chromium|the page of SASS matrices is opened in it"
  "chromium-driver|clicks and reads in Chromium"
  "python3-selenium|speaks to chromium-driver"
  "zsh|reads the completions"
  "fish|reads the completions"
  "groff|reads the manual pages"
  "libbenchmark-tools|its compare.py reads our JSON"
  "python3-scipy|compare.py needs it"
  "llvm-22-dev|phasebit-llvm, which makes PTX of LLVM IR"
)
FUZZ_PACKAGES=(
  "clang-22|libFuzzer needs clang"
  "libclang-rt-22-dev|libFuzzer and the sanitizers"
)

# Several sources at a time, and the compiler collects no garbage below a gigabyte: two thirds of
# its time less, for a machine that builds once (docs/decisions/ci.md).
UNITY_OPTIONS=(-Doptimization=1 --unity=on --unity-size=4
  "-Dcpp_args=-Wno-subobject-linkage --param=ggc-min-heapsize=1048576 --param=ggc-min-expand=400")

# The two programs alone, to be used, not worked on: for a folder of its own. By a sample of six
# files -O1 takes half of the compiler's time of a default build (21 s, 41 s), -O0 hardly less
# (20 s). -O3 makes some compilers warn of what is not a mistake.
RELEASE_BUILD=$ROOT/build-release
RELEASE_TIME="about 5 minutes"
RELEASE_OPTIONS=(-Dbuildtype=release -Dwerror=false -Dcpp_link_args=-s -Dtests=false
  "${UNITY_OPTIONS[@]}")

# A machine that builds once and throws it away.
CI_OPTIONS=(-Ddebug=false "${UNITY_OPTIONS[@]}")

# All readers and tests under AddressSanitizer and UBSan, and the fuzzer: docs/decisions/fuzzing.md.
SANITIZE_BUILD=$ROOT/build-sanitize
SANITIZE_OPTIONS=(-Dfuzz=true -Dwerror=false -Dwarning_level=0 -Doptimization=1 -Ddebug=false
  --unity=on --unity-size=4 -Db_sanitize=address,undefined -Db_lundef=false
  "-Dcpp_args=-gline-tables-only -fsanitize=fuzzer-no-link -fno-sanitize-recover=all")

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo --preserve-env=DEBIAN_FRONTEND "$@"
  else
    fail "packages are missing and this is neither root nor a machine with sudo; install them: $*"
  fi
}

# install_packages "name|why"...
install_packages() {
  local row missing=()
  command -v dpkg-query >/dev/null ||
    fail "this is no Debian: install by hand what tools/common.sh lists"
  for row in "$@"; do
    installed "${row%%|*}" || missing+=("$row")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${#missing[@]} Debian packages (about 1 minute on a bare machine)"
  for row in "${missing[@]}"; do
    printf '   %-26s %s\n' "${row%%|*}" "${row#*|}"
  done
  as_root apt-get -qq update || say "apt-get update failed; going on with the lists that are here"
  quietly as_root apt-get -qq install -y --no-install-recommends "${missing[@]%%|*}" ||
    fail "apt-get could not install: ${missing[*]%%|*}"
}

install_meson() {
  local venv=$ROOT/.venv
  MESON=$venv/bin/meson
  [ "$("$MESON" --version 2>/dev/null) $("$venv/bin/lizard" --version 2>/dev/null)" != \
    "$MESON_VERSION $LIZARD_VERSION" ] || return 0
  say "installing Meson $MESON_VERSION and lizard $LIZARD_VERSION from PyPI into .venv (about 10 s)"
  python3 -m venv --clear "$venv" || fail "python3 -m venv could not make $venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    "meson==$MESON_VERSION" "lizard==$LIZARD_VERSION" ||
    fail "pip could not install Meson and lizard; is PyPI within reach?"
}

# The wheel that draws the pictures, next to Meson in .venv. Says why when it cannot be had: nothing
# but the pictures needs it.
install_pictures() {
  local python=$ROOT/.venv/bin/python name=vl_convert_python-$VL_CONVERT_VERSION.dist-info
  ! compgen -G "$ROOT/.venv/lib/python3*/site-packages/$name" >/dev/null || return 0
  say "installing vl-convert-python $VL_CONVERT_VERSION from PyPI into .venv (33 MB, about 5 s)"
  [ -x "$python" ] || quietly python3 -m venv "$ROOT/.venv" ||
    { echo "skipped: python3 -m venv could not make .venv"; return 1; }
  quietly "$python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 \
    "vl-convert-python==$VL_CONVERT_VERSION" ||
    { echo "skipped: pip could not install vl-convert-python"; return 1; }
}

# What docs/results-format.md reads the results with, in .venv. Says why when it cannot be had: only
# the test of its examples needs it.
install_examples() {
  local python=$ROOT/.venv/bin/python
  ! "$python" -c 'import duckdb, pandas, zstandard' 2>/dev/null || return 0
  say "installing pandas, zstandard and duckdb from PyPI into .venv (60 MB, about 10 s)"
  [ -x "$python" ] || quietly python3 -m venv "$ROOT/.venv" ||
    { echo "skipped: python3 -m venv could not make .venv"; return 1; }
  quietly "$python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 \
    "pandas==$PANDAS_VERSION" "zstandard==$ZSTANDARD_VERSION" "duckdb==$DUCKDB_VERSION" ||
    { echo "skipped: pip could not install pandas, zstandard and duckdb"; return 1; }
}

install_toolchain() {
  local folder=$ROOT/.toolchains/$TOOLCHAIN_VERSION/nvidia/cu13
  if [ -x "$folder/bin/ptxas" ] && [ -x "$folder/bin/nvdisasm" ] &&
    [ -x "$folder/bin/cuobjdump" ] && [ -f "$folder/include/cuda.h" ]; then
    return 0
  fi
  say "installing ptxas $TOOLCHAIN_VERSION and its tools from PyPI into .toolchains (about 20 s)"
  "$ROOT/tools/toolchain" "$TOOLCHAIN_VERSION" ||
    fail "tools/toolchain could not install ptxas $TOOLCHAIN_VERSION"
}

install_test_toolchains() {
  local version
  for version in "${TEST_TOOLCHAINS[@]}"; do
    [ -x "$ROOT/.toolchains/$version/nvidia/cuda_nvcc/bin/ptxas" ] && continue
    say "installing ptxas $version from PyPI into .toolchains (about 10 s)"
    "$ROOT/tools/toolchain" "$version" ||
      fail "tools/toolchain could not install ptxas $version"
  done
}

# configure [MESON OPTION...]: $BUILD, once. What a folder holds that was configured for another
# place (the tree was moved or copied) belongs to a user: it is never deleted here.
configure() {
  local name=${BUILD#"$ROOT"/} options=("$@")
  if [ -f "$BUILD/build.ninja" ]; then
    grep -qF "\"source\": \"$ROOT\"" "$BUILD/meson-info/meson-info.json" ||
      fail "$name/ was configured for another place; to begin it anew: rm -r '$BUILD'"
    return 0
  fi
  say "configuring $name/"
  [ -z "${CI:-}" ] || options+=("${CI_OPTIONS[@]}")
  quietly "$MESON" setup "${options[@]}" "$BUILD" "$ROOT" ||
    fail "meson could not configure $name/"
}

# $BUILD by clang, with the sanitizers.
configure_sanitized() {
  CI='' CXX=clang++-22 configure "${SANITIZE_OPTIONS[@]}"
}

# build WHAT ESTIMATE [TARGET...]: quiet when there is nothing to build.
build() {
  local what=$1 estimate=$2 started=$SECONDS
  shift 2
  ! ninja -C "$BUILD" -n "$@" 2>/dev/null | grep 'no work to do' >/dev/null || return 0
  say "building $what ($estimate on 2 cores when nothing is built yet)"
  ninja -C "$BUILD" --quiet "$@" || fail "the build failed; the compiler's words are above"
  [ $((SECONDS - started)) -lt 3 ] || say "built in $((SECONDS - started)) s"
}

# The architecture of the first GPU, in the form with its own instructions: sm_90a.
gpu_target() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d .)
  if [ "$capability" -ge 90 ]; then capability+=a; fi
  echo "sm_$capability"
}

has_gpu() { command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }
