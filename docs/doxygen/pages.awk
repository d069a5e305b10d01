# Makes Doxygen read a page whose links are those of a tree of files. Lines keep their numbers.
#
#     awk -f pages.awk docs/PAGE.md
#
# - Headings get labels: `## Its part` of using.md that of using_its-part.
# - Links to pages and their headings become references to labels, links out of docs/ plain text.
# - `include/spg/csr.h`, `spg_csr`, `spg_config.place` and `SPG_ERROR_SHAPE` are links to the reference. Doxygen complains if
#   there is no such name.

BEGIN { FS = "\n" }

FNR == 1 {
    page = FILENAME
    sub(/^.*\//, "", page)
    sub(/\.md$/, "", page)
}

# What a heading is linked by: small letters, no punctuation, dashes for spaces.
function slug(heading) {
    heading = tolower(heading)
    gsub(/[^a-z0-9_ -]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

function target(link,    name, heading) {
    if (link ~ /^[a-z]+:/) return link
    name = heading = link
    sub(/#.*/, "", name)
    heading = index(link, "#") ? substr(link, index(link, "#") + 1) : ""
    if (name ~ /\//) return ""
    sub(/\.md$/, "", name)
    if (name == "") name = page
    return "@ref " name (heading != "" ? "_" heading : "")
}

function with_links(text,    out, shown, to) {
    out = ""
    while (match(text, /\[[^]]*\]\([^) ]+\)/)) {
        shown = to = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        sub(/\]\(.*$/, "", shown)
        sub(/^\[/, "", shown)
        sub(/^.*\]\(/, "", to)
        sub(/\)$/, "", to)
        to = target(to)
        out = out (to == "" ? shown : "[" shown "](" to ")")
    }
    return out text
}

/^```/ {
    in_code = !in_code
    print
    next
}

in_code {
    print
    next
}

/^#+ / {
    heading = $0
    sub(/^#+ +/, "", heading)
    label = /^# / ? page : page "_" slug(heading)
    print $0 (page == "README" && /^# / ? "" : " {#" label "}")
    next
}

# Names in backquotes, but for programs.
function with_names(text,    out, name, member) {
    out = ""
    while (match(text, /`(spg|spgemm|SPG_ERROR|SPG_PLACE|SPG_AMG|SPG_SMOOTHER|SPG_AGGREGATION|SPG_ALIAS)_[A-Za-z0-9_.]+`/)) {
        name = member = substr(text, RSTART + 1, RLENGTH - 2)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        sub(/\./, "::", member)
        out = out (name ~ /_(bench|soak|io)$|\.[ch]/ ? "`" name "`" : "@ref " member " \"" name "\"")
    }
    return out text
}

{
    while (match($0, /`include\/spg\/[a-z]+\.h(pp)?`/))
        $0 = substr($0, 1, RSTART - 1) "@ref " substr($0, RSTART + 9, RLENGTH - 10) substr($0, RSTART + RLENGTH)
    print with_names(with_links($0))
}
