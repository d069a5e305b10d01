# Makes Doxygen read the public headers, whose comments are plain C. Lines keep their numbers.
#
#     awk -f headers.awk HEADER
#
# - A comment that begins a line documents what follows; one after code documents that code. The first one is the file's.
# - In `T a, b; /* text */` the text is that of a and of b.
# - `/* ---- Title ---- */` begins a section.
# - SHAPE in a comment is a link to SPG_ERROR_SHAPE, and `SHAPE:` begins a line. Names of calls are links, too.

BEGIN {
    count = split("ARGUMENT SHAPE FORMAT PLACE OVERFLOW MEMORY DEVICE UNSUPPORTED IO INTERNAL NOT_CONVERGED BREAKDOWN " \
                  "INDEFINITE INCOMPATIBLE", names, " ")
    for (k = 1; k <= count; k++) is_status[names[k]] = 1
}

function linked(text,    out, word, listed) {
    if (text ~ /^ \*     /) return text
    out = ""
    while (match(text, /[A-Za-z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        if (word ~ /^(spg|spgemm)_/ && substr(text, RSTART + RLENGTH) !~ /^(\(|\.[a-z])/) word = "#" word
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        if (word in is_status) {
            # The first of "SHAPE:" and of "ARGUMENT, SHAPE:"
            if (text ~ /^(, [A-Z_]+)*:/ && !listed && out !~ /^ *\** *$/) out = out "<br>"
            listed = text ~ /^, /
            word = "@ref SPG_ERROR_" word " \"" word "\""
        } else {
            listed = 0
        }
        out = out word
    }
    return out text
}

# The declarations before a trailing comment, each with the comment; continuation lines of the comment are joined.
function document(code, text,    head, type, list, n, k) {
    sub(/ +$/, "", code)
    if (code !~ /^ *[A-Za-z_][A-Za-z0-9_ ]*[ *][A-Za-z_][A-Za-z0-9_]*(, \*?[A-Za-z_][A-Za-z0-9_]*)+;$/)
        return code " /**< " text
    sub(/;$/, "", code)
    n = split(code, list, ", ")
    head = list[1]
    match(head, /\*?[A-Za-z_][A-Za-z0-9_]*$/)
    type = substr(head, 1, RSTART - 1)
    list[1] = substr(head, RSTART)
    head = ""
    for (k = 1; k <= n; k++) head = head type list[k] "; /**< " text " "
    return head
}

open_comment {
    text = text " " linked($0)
    skipped++
    if ($0 ~ /\*\/ *$/) {
        print document(code, text)
        while (skipped-- > 0) print ""
        open_comment = 0
    }
    next
}

in_comment {
    print linked($0)
    if (/\*\//) in_comment = 0
    next
}

/^\/\* ---- .* -+ \*\/$/ {
    title = $0
    sub(/^\/\* ---- /, "", title)
    sub(/ -+ \*\/$/, "", title)
    print (in_section ? "/** @} */ " : "") "/** @name " title " */ /** @{ */"
    in_section = 1
    next
}

/^ *\/\*/ {
    start = index($0, "/*")
    opening = "/**"
    if (!seen_first++) {
        name = FILENAME
        sub(/^.*\/spg\//, "spg/", name)
        opening = "/** @file " name
    }
    print substr($0, 1, start - 1) opening linked(substr($0, start + 2))
    if ($0 !~ /\*\//) in_comment = 1
    next
}

/[^ ].*\/\*/ {
    start = index($0, "/*")
    code = substr($0, 1, start - 1)
    text = linked(substr($0, start + 3))
    if ($0 ~ /\*\/ *$/) {
        print document(code, text)
    } else {
        open_comment = 1
        skipped = 0
    }
    next
}

# The end of extern "C" ends the last section.
in_section && /^#ifdef __cplusplus$/ {
    print "/** @} */"
    in_section = 0
    getline
    getline
    getline
    print "\n\n"
    next
}

{ print }
