# Sourced by bench/demo.sh, tests/run.sh and .ci/run: finds what a build lacks and installs it through apt.
#
#     need PACKAGE TEST...     TEST, a command, succeeds if PACKAGE is not needed
#     want PACKAGE TEST...     the same for what is useful but not required
#     install_missing          installs; stops with the packages' names if it cannot install what is needed
#
# The packages have these names in Debian 12 and Ubuntu 24.04.

missing=''
missing_optional=''

say() { printf '%s\n' "$*"; }

has_command() { command -v "$1" >/dev/null 2>&1; }

has_header()
{
    printf '#include <%s>\n' "$1" |
        ${CXX:-c++} -I/usr/include/suitesparse -I/usr/include/eigen3 -E -x c++ - >/dev/null 2>&1
}

# Libraries of Fortran have no header to look for.
has_lapack() { printf 'int main(void) { return 0; }\n' | ${CC:-cc} -x c - -llapack -lblas -o /dev/null >/dev/null 2>&1; }

# LAPACK in a program that is static as a whole, which takes Fortran's runtime.
has_fortran_runtime()
{
    printf 'int main(void) { return 0; }\n' | ${CC:-cc} -x c - -static -lgfortran -o /dev/null >/dev/null 2>&1
}

# Debian's python3-minimal lacks most of it.
has_python() { python3 -c 'import json, xml.dom.minidom' >/dev/null 2>&1; }

has_compilers() { has_command "${CC:-cc}" && has_command "${CXX:-c++}" && has_command make; }

need()
{
    package=$1
    shift
    "$@" || missing="$missing $package"
}

want()
{
    package=$1
    shift
    "$@" || missing_optional="$missing_optional $package"
}

# What each build needs; the peers are what spgemm_bench compares with.
need_for_build()
{
    need build-essential has_compilers
    need cmake has_command cmake
    need libsuitesparse-dev has_header cholmod.h
    need zlib1g-dev has_header zlib.h
    need liblapack-dev has_lapack
    want libgraphblas-dev has_header GraphBLAS.h
    want libeigen3-dev has_header Eigen/Core
}

need_for_tests()
{
    need libcmocka-dev has_header cmocka.h
    need pkg-config has_command pkg-config
    need gfortran has_fortran_runtime
    need python3 has_python
}

# From apt, so for the system's Python, which may not be the first one.
has_petsc4py() { python3 -c 'import petsc4py' >/dev/null 2>&1 || /usr/bin/python3 -c 'import petsc4py' >/dev/null 2>&1; }

# The plug-in for PETSc: PETSc with 32-bit and with 64-bit indices, and from Python. PETSc brings hypre; both are peers of
# amg_bench.
want_for_petsc()
{
    want libpetsc-real-dev pkg-config --exists PETSc
    want libpetsc64-real-dev pkg-config --exists PETSc64
    want python3-petsc4py has_petsc4py
}

jobs() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

stop()
{
    say "" "$@" >&2
    exit 1
}

# Runs apt-get as root, by sudo where need be; shows the end of what it printed if it fails.
apt_as_root()
{
    plain_user=''
    [ "$(id -u)" -eq 0 ] || plain_user=yes
    apt_log=$(mktemp)
    apt_failed=no
    ${plain_user:+sudo} env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 \
        -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=300 "$@" </dev/null >"$apt_log" 2>&1 || apt_failed=yes
    [ "$apt_failed" = no ] || tail -n 3 "$apt_log" >&2
    rm -f "$apt_log"
    [ "$apt_failed" = no ]
}

install_needed()
{
    say "Missing here:$missing"
    has_command apt-get || stop "There is no apt-get here. These are the names of Debian's packages;" \
        "install what corresponds to them on this system, then run this again."
    if [ "$(id -u)" -ne 0 ] && ! has_command sudo; then
        stop "Installing needs root, and there is no sudo. As root, run this, then start again:" \
            "  apt-get update && apt-get install --no-install-recommends$missing"
    fi
    say "Installing it through apt$([ "$(id -u)" -eq 0 ] || echo ', as root by sudo'); this can take some minutes."
    apt_as_root update || say "apt-get update failed; trying with the package lists that are here."
    apt_as_root install -y --no-install-recommends $missing ||
        stop "apt could not install:$missing" \
            "Is this machine online? Install these packages in your own way, then run this again."
    updated=yes
}

# One by one: what cannot be had is left out.
install_wanted()
{
    if ! has_command apt-get || { [ "$(id -u)" -ne 0 ] && [ "$updated" = no ]; }; then
        say "Optional and not here, done without:$missing_optional"
        return
    fi
    for package in $missing_optional; do
        if [ "$updated" = no ]; then
            apt_as_root update || true
            updated=yes
        fi
        say "Installing $package, which is optional."
        apt_as_root install -y --no-install-recommends "$package" ||
            say "$package could not be installed: done without."
    done
}

install_missing()
{
    updated=no
    [ -z "$missing" ] || install_needed
    [ -z "$missing_optional" ] || install_wanted
    missing=''
    missing_optional=''
}
