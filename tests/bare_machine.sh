#!/bin/sh
# Runs the commands of README.md and docs/using.md, word by word, on a bare machine: Debian 12 as debootstrap makes it (minbase), with git and
# nothing else, in a chroot. What is committed is cloned into it.
#
#     sh tests/bare_machine.sh             # the library alone, then the two commands
#     sh tests/bare_machine.sh library     # installs the library and its packages as docs/using.md says
#     sh tests/bare_machine.sh commands    # the two commands
#
# Needs root, debootstrap and a mirror of Debian: the one that apt uses here, or SPG_DEBIAN_MIRROR. Exit status 77, and a
# line that says why, where there is no such machine. The base system and downloaded packages are kept in
# ${XDG_CACHE_HOME:-~/.cache}/spg; a machine begins bare each time and is removed at the end. Its mounts and processes
# live in namespaces of their own, which end with it.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/spg
base=$cache/debian12-minbase-git.tar
machine='' child=''

say() { printf '%s\n' "$*"; }

skip()
{
    say "" "SKIPPED: the documents' commands on a bare machine: $*" ""
    exit 77
}

clean_up()
{
    if [ -n "$child" ]; then
        kill -KILL "$child" 2>/dev/null || true # its namespace goes with it
        wait "$child" 2>/dev/null || true
    fi
    [ -z "$machine" ] || rm -rf --one-file-system "$machine"
}

# The mirror of bookworm's main that apt uses here.
mirror()
{
    [ -z "${SPG_DEBIAN_MIRROR:-}" ] || { say "$SPG_DEBIAN_MIRROR"; return; }
    apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(SITE)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^bookworm main //p' | head -n 1
}

# A command in namespaces of its own, whose processes all end with it; the script can be interrupted meanwhile.
alone() # COMMAND...
{
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child "$@" &
    child=$!
    status=0
    wait "$child" || status=$?
    child=''
    return "$status"
}

make_base() # MIRROR
{
    say "Making the base system, once."
    eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    [ -z "${http_proxy:-}" ] || export http_proxy
    mkdir "$machine/base"
    alone debootstrap --variant=minbase --include=git bookworm "$machine/base" "$1" >"$machine/log" 2>&1 || {
        tail -n 5 "$machine/log"
        skip "debootstrap failed"
    }
    rm -f "$machine"/base/var/cache/apt/archives/*.deb
    tar -C "$machine/base" -cf "$machine/base.tar" .
    mv "$machine/base.tar" "$base"
    rm -rf --one-file-system "$machine/base"
}

# Unpacks a bare machine into $machine/root, with this tree's last commit in /root/spg.
unpack()
{
    mkdir "$machine/root"
    tar -C "$machine/root" -xf "$base"
    say "deb $1 bookworm main" >"$machine/root/etc/apt/sources.list"
    apt-config dump --format '%F "%v";%n' Acquire | grep -E '^Acquire::([a-z]+::Proxy|Check-|Retries|Languages)' \
        >"$machine/root/etc/apt/apt.conf.d/90machine" || true
    say 'APT::Get::Assume-Yes "true";' >>"$machine/root/etc/apt/apt.conf.d/90machine"
    cp /etc/resolv.conf /etc/hosts "$machine/root/etc/"
    git clone --quiet "$root" "$machine/root/root/spg"
}

# In the namespaces: what a booted system has, then the commands on standard input.
enter() # MACHINE
{
    mount --make-rprivate /
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
    mount --bind "$cache/archives" "$1/var/cache/apt/archives"
    # As many jobs as there are cores, which the documents leave to the reader.
    exec chroot "$1" env -i CMAKE_BUILD_PARALLEL_LEVEL="$(nproc)" HOME=/root \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb sh -eu -c 'cd /root/spg; . /root/commands; test -z "$(git status --porcelain)"'
}

# The commands of a document's first block after the line that begins so.
block() # BEGINNING DOCUMENT
{
    awk -v line="$1" 'index($0, line) == 1 { found = 1 } found && /^```$/ { exit } found && inside { print } found && /^```sh$/ { inside = 1 }' \
        "$root/$2"
}

# Not in a pipe: a trap of this shell has to know the child.
run_commands() # NAME; the commands are in $machine/commands
{
    begin=$(date +%s)
    say "" "---- On a bare Debian 12: $1"
    unpack "$mirror"
    [ -s "$machine/commands" ] || { say "the document has no such commands"; exit 1; }
    sed 's/^/  /' "$machine/commands"
    cp "$machine/commands" "$machine/root/root/commands"
    alone sh "$0" --enter "$machine/root" </dev/null || { say "failed on a bare Debian 12: $1"; exit 1; }
    rm -rf --one-file-system "$machine/root"
    say "---- $1: passed in $(($(date +%s) - begin)) s"
}

# What docs/using.md says of the library alone and of packages, what the whole tree says there, and README's program on
# what was installed.
library()
{
    block 'Install and link' docs/using.md
    cat <<'END'
for lacking in libsuitesparse-dev SPG_BUILD_BENCH=OFF; do
    ! cmake -S . -B build-all >build-all.log 2>&1
    grep -q -e "$lacking" build-all.log || { cat build-all.log; exit 1; }
done
rm -r build-all build-all.log
mkdir /root/user
awk '/^```c$/ { inside = 1; next } inside && /^```$/ { exit } inside' README.md >/root/user/main.c
cat >/root/user/CMakeLists.txt <<LISTS
cmake_minimum_required(VERSION 3.22)
project(user LANGUAGES C)
find_package(spg 0.1 REQUIRED)
add_executable(main main.c)
target_link_libraries(main PRIVATE spg::spg)
add_executable(main_static main.c)
target_link_libraries(main_static PRIVATE spg::static)
LISTS
cmake -S /root/user -B /root/user/build -DCMAKE_PREFIX_PATH=/where/you/like
cmake --build /root/user/build
for program in main main_static; do test "$(/root/user/build/$program)" = '5 entries'; done
END
    # In a folder of the loader's, which has to be told by ldconfig; then as packages, where it need not be.
    cat <<'END'
cmake --install build --prefix /usr/local | grep 'run ldconfig'
cc /root/user/main.c -I/usr/local/include -L/usr/local/lib -lspg -o /root/user/local
if /root/user/local 2>/dev/null; then exit 1; fi
ldconfig
test "$(/root/user/local)" = '5 entries'
xargs rm <build/install_manifest.txt
ldconfig
END
    block '`cpack` makes packages' docs/using.md
    cat <<'END'
cc /root/user/main.c $(pkg-config --cflags --libs spg) -o /root/user/packaged
test "$(/root/user/packaged)" = '5 entries'
apt-get remove libspg0.1
if /root/user/packaged 2>/dev/null; then exit 1; fi
END
}

if [ "${1:-}" = --enter ]; then enter "$2"; fi

[ "$(id -u)" -eq 0 ] || skip "a chroot needs root"
for program in debootstrap unshare setpriv flock apt-config git; do
    command -v "$program" >/dev/null 2>&1 || skip "there is no $program here"
done
mirror=$(mirror)
[ -n "$mirror" ] || skip "apt has no mirror of Debian 12 here, and SPG_DEBIAN_MIRROR is not set"
unshare --mount --pid --fork --kill-child true 2>/dev/null || skip "no namespaces can be made here"

mkdir -p "$cache/archives"
exec 9>"$cache/lock"
flock 9 # one machine at a time; what a killed run left is nobody's
rm -rf --one-file-system "$cache"/machine.*
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
machine=$(mktemp -d "$cache/machine.XXXXXX")
find "$base" -mtime +30 -delete 2>/dev/null || true
[ -e "$base" ] || make_base "$mirror"

[ $# -gt 0 ] || set -- library commands
for what in "$@"; do
    case $what in
    library)
        library >"$machine/commands"
        run_commands "the library alone"
        ;;
    commands)
        block '## Two commands' README.md >"$machine/commands"
        run_commands "the two commands"
        ;;
    *) say "$what is neither library nor commands" >&2; exit 2 ;;
    esac
done
