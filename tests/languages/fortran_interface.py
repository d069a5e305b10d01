#!/usr/bin/env python3
"""Whether the Fortran module is what the C headers say, by one reading of each.

    fortran_interface.py TREE FOLDER         compares; FOLDER is for what is made
    fortran_interface.py --self-check TREE FOLDER
                                             changes a copy of the module in each way that matters; each must be found

Types: every struct, with size, and offset and size of each member, as the two compilers lay them out. Constants: every
enumerator and number. Calls: every function that the headers export, with its result and arguments in order.
CC and FC name the compilers.
"""

import os
import pathlib
import re
import subprocess
import sys

NOT_BOUND = {"spg_context_fail"}  # it takes any number of arguments, which Fortran cannot pass
WIDTH = {"int": "int", "int32_t": "int32", "int64_t": "int64", "uint64_t": "int64", "double": "double",
         "size_t": "size_t", "c_int": "int", "c_int32_t": "int32", "c_int64_t": "int64", "c_double": "double",
         "c_size_t": "size_t"}


class Interface:
    """structs: members of each; constants: names; calls: name -> result and arguments."""

    def __init__(self):
        self.structs, self.constants, self.calls = {}, set(), {}


def read_c(tree):
    text = "".join(path.read_text() for path in sorted((tree / "include/spg").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = Interface()
    found.constants.update(re.findall(r"^#define (SPG_\w+) \(?-?[0-9.]+\)?$", text, re.MULTILINE))
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    enums = set()
    for name, body in re.findall(r"typedef enum (\w+) \{(.*?)\}", text, re.DOTALL):
        enums.add(name)
        found.constants.update(re.findall(r"\bSPG_\w+", body))
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\} \1;", text, re.DOTALL):
        members = found.structs[name] = []
        for declaration in filter(str.strip, body.split(";")):
            pointer = re.search(r"\(\*(\w+)\)\(", declaration)
            if pointer:
                members.append(pointer.group(1))
                continue
            members += [re.search(r"(\w+)\s*(\[\w+\])?\s*$", part).group(1) for part in declaration.split(",")]

    def kind(words):  # of a result or an argument, without its name
        if words.strip() == "...":
            return "..."
        base = words.replace("const ", "").replace("*", " ").split()[-1]
        if "*" in words:
            is_struct = base in found.structs and words.count("*") == 1
            return f"{base}* {'in' if 'const ' in words else 'inout'}" if is_struct else "pointer"
        if base in found.structs or base == "void":
            return base
        return "function" if base == "spg_log" else "int" if base in enums else WIDTH[base]

    for result, name, arguments in re.findall(r"SPG_API\s+([\w *]+?)(\w+)\(([^)]*)\)", text):
        words = [re.sub(r"\w+$", "", " ".join(a.split())) for a in arguments.split(",") if arguments != "void"]
        found.calls[name] = (kind(result), tuple(map(kind, words)))
    return found


def names(declared):
    """Of `a, b(2) = 0, c = c_null_ptr`."""
    return [re.match(r"\w+", part.strip()).group() for part in re.sub(r"\(.*?\)", "", declared).split(",")]


def read_fortran(sources):
    text = "\n".join(path.read_text() for path in sources)
    text = re.sub(r"!.*", "", text)
    text = re.sub(r"&\s*\n\s*", "", text)
    found = Interface()
    for declared in re.findall(r"(?:enumerator|parameter) :: (.*)", text):
        found.constants.update(n for n in names(declared) if n.startswith("SPG_"))
    for name, body in re.findall(r"type, bind\(C\) :: (\w+)\n(.*?)end type", text, re.DOTALL):
        found.structs[name] = [n for declared in re.findall(r":: (.*)", body) for n in names(declared)]

    def kind(declared, is_result=False):  # the part before ::
        base = re.match(r"\w+\((?:kind=)?(\w+)\)", declared).group(1)
        if base in found.structs and "intent" in declared:
            return f"{base}* {re.search(r'intent.(.*?).(,|$)', declared).group(1)}"
        if base in found.structs:
            return base
        if base == "c_funptr":
            return "function"
        return WIDTH[base] if (is_result or "value" in declared) and base != "c_ptr" else "pointer"

    pattern = (r"^ *(?:(\S[^\n]*?) )?(?:function|subroutine) (\w+)\(([^)]*)\) *bind\(C(?:, name=\"(\w+)\")?\)\n"
               r"(.*?)^ *end (?:function|subroutine)")
    for result, name, arguments, label, body in re.findall(pattern, text, re.DOTALL | re.MULTILINE):
        kinds = {n: kind(before.strip()) for before, declared in re.findall(r"^(.*?) :: (.*)$", body, re.MULTILINE)
                 for n in names(declared) if before.strip() != "import"}
        call = (kind(result.strip(), True) if result else "void",
                tuple(kinds.get(a.strip(), "undeclared") for a in arguments.split(",") if a.strip()))
        found.calls[label or name] = call
    found.calls.pop("strlen", None)
    return found


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def layout_by_c(tree, folder, interface):
    lines = ["#include <spg/io.h>", "#include <spg/sampling.h>", "#include <spg/spg.h>", "#include <stdio.h>",
             "int main(void) {"]
    for name, members in interface.structs.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}%%{m} %zu %zu\\n", offsetof({name}, {m}), sizeof((({name} *)0)->{m}));'
                  for m in members]
    lines += [f'printf("{c} %.17g\\n", (double){c});' for c in sorted(interface.constants)]
    (folder / "layout.c").write_text("\n".join(lines + ["return 0; }\n"]))
    run([os.environ.get("CC", "cc"), f"-I{tree}/include", folder / "layout.c", "-o", folder / "layout_c"])
    return run([folder / "layout_c"]).splitlines()


def layout_by_fortran(sources, folder, interface):
    variables = [f"type({name}), target :: x{k}" for k, name in enumerate(interface.structs)]
    lines = ["program layout", "use spg_types", "implicit none"] + variables
    for k, (name, members) in enumerate(interface.structs.items()):
        lines.append(f"print '(a, i0)', '{name} ', c_sizeof(x{k})")
        lines += [f"call tell('{name}%{m}', c_loc(x{k}), c_loc(x{k}%{m}), &\nc_sizeof(x{k}%{m}))" for m in members]
    lines += [f"call number('{c}', real({c}, c_double))" for c in sorted(interface.constants)]
    lines += ["contains", "subroutine tell(name, begin, member, bytes)", "character(*), intent(in) :: name",
              "type(c_ptr), intent(in) :: begin, member", "integer(c_size_t), intent(in) :: bytes",
              "print '(a, 2(1x, i0))', name, transfer(member, 0_c_intptr_t) - transfer(begin, 0_c_intptr_t), bytes",
              "end subroutine", "subroutine number(name, value)", "character(*), intent(in) :: name",
              "real(c_double), intent(in) :: value", "print '(a, 1x, i0)', name, nint(value)", "end subroutine",
              "end program"]
    (folder / "layout.f90").write_text("\n".join(lines) + "\n")
    types = [source for source in sources if source.name == "types.f90"]
    run([os.environ.get("FC", "gfortran"), *types, folder / "layout.f90", "-o", folder / "layout_f"], cwd=folder)
    return run([folder / "layout_f"]).splitlines()


def compare(tree, sources, folder):
    """What differs, as lines."""
    folder.mkdir(parents=True, exist_ok=True)
    c, fortran = read_c(tree), read_fortran(sources)
    by_c, by_fortran = layout_by_c(tree, folder, c), layout_by_fortran(sources, folder, fortran)
    faults = [f"C has, and Fortran has not: {line}" for line in by_c if line not in by_fortran]
    faults += [f"Fortran has, and C has not: {line}" for line in by_fortran if line not in by_c]
    for name in sorted(c.calls.keys() | fortran.calls.keys()):
        if name not in NOT_BOUND and c.calls.get(name) != fortran.calls.get(name):
            faults.append(f"{name}: C {c.calls.get(name)}, Fortran {fortran.calls.get(name)}")
    if min(len(c.structs), len(c.constants), len(c.calls)) < 20:
        faults.append("the headers were not understood")
    print(f"{len(c.structs)} types, {len(c.constants)} constants, {len(c.calls)} calls; {len(faults)} differences")
    return faults


# A line of the module, what becomes of it, and what is then said.
CHANGES = [
    ("types.f90", "    integer(c_int) :: sampler = 0, grouped = 0", "    integer(c_int) :: sampler = 0",
     "spg_alias_draw_options%grouped"),
    ("types.f90", "rows = 0, cols = 0, nnz = 0", "cols = 0, rows = 0, nnz = 0", "spg_csr%rows"),
    ("types.f90", "real(c_double) :: rho = 0", "real(c_float) :: rho = 0", "spg_amg_level_view%rho"),
    ("types.f90", "integer(c_int) :: stagnated = 0", "integer(c_int) :: stagnated = 0, more = 0",
     "spg_amg_solve_result%more"),
    ("types.f90", "SPG_ERROR_IO = 9", "SPG_ERROR_IO = 19", "SPG_ERROR_IO 9"),
    ("types.f90", ", SPG_FOREST_RADIX = 2", "", "SPG_FOREST_RADIX 2"),
    ("types.f90", "SPG_VERSION_MINOR = 1", "SPG_VERSION_MINOR = 7", "SPG_VERSION_MINOR"),
    ("products.f90", "function spgemm_plan_check(", "function spgemm_plan_checks(", "spgemm_plan_check: C"),
    ("multigrid.f90", "integer(c_int), value :: level", "integer(c_int64_t), value :: level", "spg_amg_level: C"),
    ("multigrid.f90", "type(c_ptr), value :: context, amg\n      type(spg_csr), intent(in) :: A",
     "type(c_ptr), value :: context, amg\n      type(spg_csr), intent(inout) :: A", "spg_amg_update: C"),
    ("io.f90", "(context, path, matrix) bind(C)", "(context, matrix) bind(C)", "spg_read_matrix_market: C"),
]


def self_check(tree, sources, folder):
    for number, (file, line, other, says) in enumerate(CHANGES):
        changed = folder / f"change{number}"
        changed.mkdir(parents=True, exist_ok=True)
        copies = []
        for source in sources:
            copy = changed / source.name
            text = source.read_text()
            if source.name == file:
                if line not in text:
                    sys.exit(f"{file} has no line: {line}")
                text = text.replace(line, other, 1)
            copy.write_text(text)
            copies.append(copy)
        if not any(says in fault for fault in compare(tree, copies, changed)):
            sys.exit(f"not found: {file}: {line} -> {other}")


def main():
    words = sys.argv[1:]
    checks_itself = words[0] == "--self-check"
    tree, folder = (pathlib.Path(word).resolve() for word in words[-2:])
    order = re.search(r"set\(sources (.*?)\)", (tree / "fortran/CMakeLists.txt").read_text()).group(1).split()
    sources = [tree / "fortran" / name for name in order]
    if checks_itself:
        self_check(tree, sources, folder)
        return
    faults = compare(tree, sources, folder)
    print("\n".join(faults))
    sys.exit(bool(faults))


main()
