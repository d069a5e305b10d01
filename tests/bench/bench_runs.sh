# What the tests of the benches' command lines share; read by them with $1 the program.
[ -x "$1" ] || { echo "$1: no program"; exit 1; }
bench=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM HUP
failures=0

# What the last run printed fits into 80 columns. In UTF-8 awk counts characters, else bytes: the benches print ASCII. Messages
# may be longer.
fits_a_terminal() {
    grep -v SPG_ERROR "$folder/out" | awk 'length > 79 { print "wider than 79 columns: " $0; wide = 1 } END { exit wide }' && return
    failures=$((failures + 1))
}

# On a terminal what is printed meanwhile fits as well, so that it can be cleared; `script` makes one.
fits_while_it_runs() { # ARGUMENT...
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || return
    for argument in "$bench" "$@"; do printf "'%s' " "$argument"; done >"$folder/command"
    script -qec "$(cat "$folder/command")" /dev/null </dev/null | tr '\r' '\n' | sed "s/$(printf '\033')\[K//g" >"$folder/out"
    fits_a_terminal
    says out "measuring the copy bandwidth"
}

# A version that the library tells, and records on standard output with all else on standard error.
tells_version_and_records() { # ARGUMENT...
    run 0 --version
    grep -qE "^$(basename "$bench") [0-9]+\.[0-9]+\.[0-9]+$" "$folder/out" || {
        failures=$((failures + 1))
        cat "$folder/out"
    }
    "$bench" "$@" --json - >"$folder/out" 2>"$folder/err" || { failures=$((failures + 1)); cat "$folder/err"; }
    says err "ms"
    if [ ! -s "$folder/out" ] || grep -qv '^{.*}$' "$folder/out"; then
        failures=$((failures + 1))
        echo "--json - printed other than records:"
        cat "$folder/out"
    fi
}

# run STATUS ARGUMENT...: runs the bench, expects that exit status, keeps what it prints.
run() {
    expected=$1
    shift
    "$bench" "$@" >"$folder/out" 2>"$folder/err"
    status=$?
    fits_a_terminal
    [ $status -eq "$expected" ] && return
    failures=$((failures + 1))
    echo "$(basename "$bench") $*: exit status $status, not $expected"
    cat "$folder/out" "$folder/err"
}

# says FILE TEXT: what the last run printed (out or err) holds the text.
says() {
    grep -qF -e "$2" "$folder/$1" && return
    failures=$((failures + 1))
    echo "no '$2' in:"
    cat "$folder/$1"
}

# Records are looked into where there is a whole Python; Debian's python3-minimal has no json.
has_python() { python3 -c 'import json, xml.dom.minidom' 2>/dev/null; }

# tells_a_full_disk ARGUMENT...: what is printed cannot be written; the bench says so and fails.
tells_a_full_disk() {
    [ -c /dev/full ] || return
    "$bench" "$@" >/dev/full 2>"$folder/err"
    status=$?
    [ $status -eq 1 ] || { failures=$((failures + 1)); echo "$(basename "$bench") $*: exit status $status on a full disk"; }
    says err "not all output could be written"
}

# tells_why_no_device ARGUMENT...: it runs on a device where there is one; else the reason is one of those known.
tells_why_no_device() {
    "$bench" --place device "$@" >"$folder/out" 2>"$folder/err"
    status=$?
    reasons='SPG_CUDA=ON|libcuda\.so\.1|update the driver|shows no GPU'
    case $status in
    0) head -n 1 "$folder/out" | grep -qE '^host,' || return ;;
    1) grep -qE "no context at this place: SPG_ERROR_PLACE: config: place: .*($reasons)" "$folder/err" && return ;;
    esac
    failures=$((failures + 1))
    echo "$(basename "$bench") --place device: neither on a device nor a reason why not, exit status $status:"
    cat "$folder/out" "$folder/err"
}
