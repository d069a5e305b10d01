# The manual page of the library: that of spg.3.in, with the calls of the headers and their comments in place of @CALLS@.
#
#     awk -v version=VERSION -f calls.awk spg.3.in include/spg/HEADER.h...

function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    sub(/^[.']/, "\\\\\\&&", text)
    return text
}

# The text of a comment, without its marks; paragraphs apart by `apart`, lines that are indented as they are.
function put(comment, apart,    lines, count, k, line, literal) {
    count = split(comment, lines, "\n")
    for (k = 1; k <= count; k++) {
        line = lines[k]
        sub(/^ *\/?\* ?/, "", line)
        sub(/ *\*\/$/, "", line)
        if ((line ~ /^    /) != literal) {
            literal = !literal
            print literal ? ".nf" : ".fi"
        }
        if (line ~ /^ *$/ && !literal) {
            if (k < count) print apart
        } else {
            print escaped(line)
        }
    }
    if (literal) print ".fi"
}

FILENAME ~ /\.in$/ {
    gsub(/@VERSION@/, version)
    if (/^@CALLS@$/)
        is_rest = 1
    else if (is_rest)
        rest = rest $0 "\n"
    else
        print
    next
}

FNR == 1 {
    name = FILENAME
    sub(/^.*\/spg\//, "spg/", name)
    print ".SH \"<" name ">\""
    comment = ""
    in_file_comment = 1
}

/^\/\* ---- .* -+ \*\/$/ {
    gsub(/^\/\* -+ | -+ \*\/$/, "")
    print ".SS \"" escaped($0) "\""
    comment = ""
    next
}

/^\/\*/ { comment = "" }

/^\/\*/, /\*\// {
    comment = comment (comment == "" ? "" : "\n") $0
    next
}

in_file_comment {
    put(comment, ".PP")
    in_file_comment = 0
}

/^SPG_API / { prototype = "" }

/^SPG_API /, /;$/ {
    prototype = prototype " " $0
    if (/;$/) {
        sub(/^ *SPG_API /, "", prototype)
        gsub(/  +/, " ", prototype)
        sub(/ #if .*/, ";", prototype)
        gsub(/"/, "\\(dq", prototype)
        print ".TP\n.B \"" escaped(prototype) "\""
        put(comment, ".IP")
    }
}

END { printf "%s", rest }
