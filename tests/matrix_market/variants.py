#!/usr/bin/env python3
"""Writes variants.inc.h: how SciPy and fast_matrix_market read files of the format and of its dialects.

    python3 -m venv V && V/bin/pip install scipy fast_matrix_market
    V/bin/python tests/matrix_market/variants.py >tests/matrix_market/variants.inc.h

A variant is a name, a text, and what it holds: None, what SciPy reads or, where that refuses it, its older reader in
Python; a matrix, where they refuse it or read something else; or why no reading of it is right. The test that includes
the table wants the lenient reader to read each of the first two so and to refuse the third. With --counts the script
prints, in place of the table, how many of the variants the readers read, and how many of them as the table says."""
import io
import sys
import warnings

import fast_matrix_market
import numpy
import scipy.io
import scipy.sparse
from scipy.io._mmio import MMFile

B = "%%MatrixMarket matrix "
GUESS = "its meaning is a guess"


def coordinate(kind, entries, sizes="2 2", head=""):
    """A file of these lines of entries."""
    return f"{B}coordinate {kind}\n{head}{sizes} {len(entries)}\n" + "".join(e + "\n" for e in entries)


def held(field, symmetry):
    """Readers know nothing of unsigned integers that are skew."""
    return [[0, -2], [2, 0]] if (field, symmetry) == ("unsigned-integer", "skew-symmetric") else None


def grid():
    """Each kind of matrix that the format has, or that readers take, 2 x 2, lower triangles where it is symmetric."""
    values = {"real": ["1.5", "-2", "3e1"], "integer": ["1", "-2", "30"], "complex": ["1.5 0", "-2 7", "3e1 0"],
              "pattern": ["", "", ""], "double": ["1.5", "-2", "3e1"], "unsigned-integer": ["1", "2", "30"]}
    for field, (first, below, last) in values.items():
        for symmetry in ("general", "symmetric", "skew-symmetric", "hermitian"):
            entries = [f"2 1 {below}"] if symmetry == "skew-symmetric" else \
                [f"1 1 {first}", f"2 1 {below}", f"2 2 {last}"]
            kind = f"{field} {symmetry}"
            yield f"coordinate {kind}", coordinate(kind, [e.strip() for e in entries]), held(field, symmetry)
            if field == "pattern":
                continue
            column = {"general": [first, below, first, last], "skew-symmetric": [below]}.get(symmetry,
                                                                                               [first, below, last])
            text = f"{B}array {kind}\n2 2\n" + "".join(v + "\n" for v in column)
            yield f"array {kind}", text, held(field, symmetry)


def one(value):
    return coordinate("real general", ["1 1 " + value, "2 2 7"])


FIVE, FIVE_SEVEN = [[5, 0], [0, 0]], [[5, 0], [0, 7]]
REAL = "coordinate real general\n2 2 2\n1 1 5\n2 2 7\n"

OTHERS = [
    # What a line has beside its entry.
    ("values in a pattern", coordinate("pattern general", ["1 1 5.0", "2 1 7"]), None),
    ("two values of a real entry", coordinate("real general", ["1 1 5.0 1", "2 1 7 2"]), None),
    ("three values of a complex entry", coordinate("complex general", ["1 1 5 1 9"]), None),
    ("a comment after an entry", coordinate("real general", ["1 1 5 % five"]), None),
    ("two values in a line of an array", B + "array real general\n2 1\n5 6\n7\n", None),
    # Triangles and diagonals.
    ("upper triangle, symmetric", coordinate("real symmetric", ["1 1 5", "1 2 7"]), None),
    ("both triangles, symmetric", coordinate("real symmetric", ["2 1 5", "1 2 5"]), None),
    ("upper triangle, pattern symmetric", coordinate("pattern symmetric", ["1 1", "1 2"]), None),
    ("upper triangle, skew-symmetric", coordinate("real skew-symmetric", ["1 2 7"]), None),
    ("upper triangle, hermitian", coordinate("complex hermitian", ["1 1 5 0", "1 2 7 1"]), None),
    ("upper triangle, complex symmetric", coordinate("complex symmetric", ["1 2 7 1"]), None),
    ("zero on a skew diagonal", coordinate("real skew-symmetric", ["1 1 0", "2 1 7"]), None),
    ("zeros on a complex skew diagonal", coordinate("complex skew-symmetric", ["1 1 0 0", "2 1 7 1"]), None),
    ("number on a skew diagonal", coordinate("real skew-symmetric", ["1 1 3", "2 1 7"]), GUESS),
    ("skew array with its diagonal", B + "array real skew-symmetric\n2 2\n0\n7\n0\n", GUESS),
    ("hermitian diagonal, zero imaginary part", coordinate("complex hermitian", ["1 1 5 0", "2 1 7 1"]), None),
    ("hermitian diagonal, no imaginary part", coordinate("complex hermitian", ["1 1 5", "2 1 7 1"]), None),
    ("hermitian diagonal, imaginary part -0.0", coordinate("complex hermitian", ["1 1 5 -0.0", "2 1 7 1"]), None),
    ("hermitian diagonal, imaginary part 1", coordinate("complex hermitian", ["1 1 5 1", "2 1 7 1"]), GUESS),
    ("symmetric, not square", coordinate("real symmetric", ["2 1 5"], "2 3"), "it has no symmetry"),
    ("repeated entries", coordinate("real general", ["1 1 5", "1 1 6", "2 1 7"]), None),
    ("repeated entries, pattern", coordinate("pattern general", ["1 1", "1 1"]), None),
    ("explicit zeros", coordinate("real general", ["1 1 0", "2 1 -0"]), None),
    # How numbers are written.
    *[(f"value {v}", one(v), None) for v in
      ("inf", "-inf", "+inf", "Inf", "INF", "infinity", "-Infinity", "nan", "NaN", "-nan", "+NaN", "NAN", "nan(ind)",
       "-nan(ind)", "nan(snan)", "nan()", "+5", "+5.5e+2", "5.", ".5", "-.5", "-5.e1", "005", "5E3", "5e-3", "5e003",
       "1e400", "-1e400", "1e-400", "4.9e-324", "1.7976931348623157e308", "1e308",
       "0.1000000000000000055511151231257827021181583404541015625", "123456789012345678901234567890")],
    ("value 5D3", one("5D3"), [[5000, 0], [0, 7]]),
    ("value 5d-3", one("5d-3"), [[0.005, 0], [0, 7]]),
    ("value 1.#INF", one("1.#INF"), GUESS),
    ("value 5+3", one("5+3"), GUESS),
    ("value 0x10", one("0x10"), GUESS),
    ("value 5f", one("5f"), GUESS),
    ("value 5,", one("5,"), GUESS),
    ("value ++5", one("++5"), GUESS),
    ("integer past 2^53", coordinate("integer general", ["1 1 9007199254740993"]), None),
    ("integer past int64", coordinate("integer general", ["1 1 9223372036854775808"]), [[2.0**63, 0], [0, 0]]),
    ("integer +5", coordinate("integer general", ["1 1 +5", "2 1 -005"]), None),
    ("integer 1.5", coordinate("integer general", ["1 1 1.5"]), [[1.5, 0], [0, 0]]),
    ("integer 2.0", coordinate("integer general", ["1 1 2.0", "2 1 3"]), None),
    ("integer 2e3", coordinate("integer general", ["1 1 2e3"]), [[2000, 0], [0, 0]]),
    ("integer nan", coordinate("integer general", ["1 1 nan"]), [[numpy.nan, 0], [0, 0]]),
    ("complex nan and inf", coordinate("complex general", ["1 1 nan 0", "2 1 1 -inf"]), None),
    ("real without its value", coordinate("real general", ["1 1", "2 1 5"]), "a value is missing"),
    ("complex without its imaginary part", coordinate("complex general", ["1 1 5"]), "a value is missing"),
    ("index +1", coordinate("real general", ["+1 1 5"]), None),
    ("index 01", coordinate("real general", ["01 002 5"]), None),
    ("index 1.0", coordinate("real general", ["1.0 1 5"]), GUESS),
    ("index 0", coordinate("real general", ["0 1 5"]), GUESS),
    ("index past the rows", coordinate("real general", ["3 1 5"]), GUESS),
    # Lines.
    ("blank lines between entries", B + "coordinate real general\n2 2 2\n\n1 1 5\n\n\n2 2 7\n", None),
    ("blank lines before the sizes", B + "coordinate real general\n\n\n2 2 1\n1 1 5\n", None),
    ("blank lines at the end", B + REAL + "\n\n\n", None),
    ("lines of blanks", B + "coordinate real general\n \t\n2 2 2\n  \n1 1 5\n\t\n2 2 7\n   \n", None),
    ("comments before the sizes", B + "coordinate real general\n% a\n%\n%%b\n2 2 1\n1 1 5\n", None),
    ("comments and blank lines before the sizes", B + "coordinate real general\n% a\n\n% b\n\n2 2 1\n1 1 5\n", None),
    ("indented comment", B + "coordinate real general\n  % a\n2 2 1\n1 1 5\n", None),
    ("comments between entries", B + "coordinate real general\n2 2 2\n% a\n1 1 5\n% b\n2 2 7\n", None),
    ("comment at the end", B + REAL + "% the end\n", None),
    ("comment in an array", B + "array real general\n2 1\n% a\n5\n% b\n6\n", None),
    ("blank lines in an array", B + "array real general\n\n2 1\n\n5\n\n6\n\n", None),
    ("comment after the sizes", B + "coordinate real general\n2 2 1 % sizes\n1 1 5\n", FIVE),
    ("trailing blanks", B + "coordinate real general  \n2 2 1  \n1 1 5 \t \n", None),
    ("leading blanks", B + "coordinate real general\n  2 2 1\n \t1 1 5\n", None),
    ("leading blanks in an array", B + "array real general\n  2 1\n   5\n\t6\n", None),
    ("tabs", B + "coordinate real general\n2\t2\t1\n1\t1\t5\n", None),
    ("tabs in the banner", "%%MatrixMarket\tmatrix\tcoordinate\treal\tgeneral\n2 2 1\n1 1 5\n", None),
    ("many blanks", B + "coordinate real general\n2   2  1\n1     1       5\n", None),
    ("blanks in the banner", "%%MatrixMarket   matrix  coordinate   real  general   \n2 2 1\n1 1 5\n", None),
    ("CRLF", (B + REAL).replace("\n", "\r\n"), None),
    ("CRLF in an array", (B + "array real general\n2 1\n5\n6\n").replace("\n", "\r\n"), None),
    ("CRLF, pattern", coordinate("pattern general", ["1 1", "2 1"]).replace("\n", "\r\n"), None),
    ("CRLF and LF", B + "coordinate real general\r\n2 2 2\n1 1 5\r\n2 2 7\n", None),
    ("CR alone", (B + REAL).replace("\n", "\r"), "a text of one line"),
    ("form feed", B + "coordinate real general\n2 2 1\n1\f1\f5\n", GUESS),
    ("no last newline", (B + REAL)[:-1], None),
    ("no last newline, pattern", coordinate("pattern general", ["1 1", "2 1"])[:-1], None),
    ("no last newline, array", B + "array real general\n2 1\n5\n6", None),
    ("Ctrl-Z at the end", B + REAL + "\x1a", GUESS),
    # The banner and the sizes.
    ("banner in capitals", (B + REAL).upper(), FIVE_SEVEN),
    ("banner in small letters", (B + REAL).lower(), FIVE_SEVEN),
    ("mixed case", "%%MatrixMarket MATRIX Coordinate Real General\n2 2 1\n1 1 5\n", None),
    ("one %", B[1:] + REAL, None),
    ("blank before the banner", " " + B + REAL, None),
    ("blank line before the banner", "\n" + B + REAL, GUESS),
    ("byte order mark", "\ufeff" + B + REAL, GUESS),
    ("words after the banner", B + "coordinate real general of mine\n2 2 1\n1 1 5\n", None),
    ("comment after the banner", B + "coordinate real general % mine\n2 2 1\n1 1 5\n", None),
    ("banner without a symmetry", B + "coordinate real\n2 2 1\n1 1 5\n", GUESS),
    ("skew", B + "coordinate real skew\n2 2 1\n2 1 5\n", GUESS),
    ("self-adjoint", B + "coordinate complex self-adjoint\n2 2 1\n2 1 5 1\n", GUESS),
    ("vector, array", "%%MatrixMarket vector array real general\n2\n5\n6\n", "a vector is no matrix"),
    ("vector, coordinate", "%%MatrixMarket vector coordinate real general\n2 1\n1 5\n", "a vector is no matrix"),
    ("pattern array", B + "array pattern general\n1 1\n1\n", GUESS),
    ("sizes +2", B + "coordinate real general\n+2 +2 +1\n1 1 5\n", None),
    ("sizes 02", B + "coordinate real general\n02 02 01\n1 1 5\n", None),
    ("sizes 2.0", B + "coordinate real general\n2.0 2 1\n1 1 5\n", GUESS),
    ("a fourth size", B + "coordinate real general\n2 2 1 9\n1 1 5\n", FIVE),
    ("a third size of an array", B + "array real general\n2 1 2\n5\n6\n", [[5], [6]]),
    ("sizes on two lines", B + "coordinate real general\n2 2\n1\n1 1 5\n", GUESS),
    ("entry on two lines", B + "coordinate real general\n2 2 1\n1 1\n5\n", GUESS),
    ("entries on one line", B + "coordinate real general\n2 2 2\n1 1 5 2 2 7\n", GUESS),
    ("more entries than declared", B + "coordinate real general\n2 2 1\n1 1 5\n2 2 7\n", GUESS),
    ("fewer entries than declared", B + "coordinate real general\n2 2 3\n1 1 5\n2 2 7\n", GUESS),
    # Empty ones.
    ("no entries", B + "coordinate real general\n2 2 0\n", None),
    ("no entries, no newline", B + "coordinate real general\n2 2 0", None),
    ("no entries, blank lines", B + "coordinate real general\n2 2 0\n\n\n", None),
    ("0 x 0", B + "coordinate real general\n0 0 0\n", None),
    ("0 x 2", B + "coordinate real general\n0 2 0\n", None),
    ("2 x 0", B + "coordinate real general\n2 0 0\n", None),
    ("0 x 0, symmetric", B + "coordinate real symmetric\n0 0 0\n", None),
    ("0 x 0, pattern", B + "coordinate pattern general\n0 0 0\n", None),
    ("0 x 0, array", B + "array real general\n0 0\n", numpy.zeros((0, 0))),
    ("0 x 2, array", B + "array real general\n0 2\n", numpy.zeros((0, 2))),
    ("2 x 0, array", B + "array complex general\n2 0\n", None),
    ("1 x 1, skew array", B + "array real skew-symmetric\n1 1\n", None),
    ("1 x 1, skew", B + "coordinate real skew-symmetric\n1 1 0\n", None),
    ("3 x 3, symmetric array", B + "array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", None),
    ("3 x 3, skew array", B + "array integer skew-symmetric\n3 3\n1\n2\n3\n", None),
    ("3 x 3, hermitian array", B + "array complex hermitian\n3 3\n1 0\n2 1\n3 -1\n4 0\n5 2\n6 0\n", None),
    ("hermitian array, no imaginary parts", B + "array complex hermitian\n2 2\n1\n2 1\n3\n", None),
]

VARIANTS = [*grid(), *OTHERS]


# What SciPy 1.17 ends with SIGFPE on.
CRASHES = ("0 x 0, array", "0 x 2, array")


def read(reader, text):
    """The dense matrix that a reader makes of it, complex; None if it refuses."""
    try:
        with warnings.catch_warnings(action="ignore"):
            matrix = reader(io.BytesIO(text.encode()))
            dense = matrix.toarray() if scipy.sparse.issparse(matrix) else numpy.asarray(matrix)
            return dense.astype(complex)
    except Exception: # pylint: disable=broad-except # each reader has its own
        return None


READERS = {"SciPy": scipy.io.mmread, "fast_matrix_market": fast_matrix_market.mmread,
           "SciPy's reader in Python": lambda file: MMFile().read(file)}


def readings(name, text):
    """What each reader makes of a variant."""
    return [None if name in CRASHES and reader != "SciPy's reader in Python" else read(function, text)
            for reader, function in READERS.items()]


def expected(what, found):
    """The matrix that a variant holds, or None."""
    if isinstance(what, str):
        return None
    return next(matrix for matrix in [*found[0::2], None] if matrix is not None) if what is None \
        else numpy.array(what, dtype=complex)


def is_same(matrix, other):
    """To the bit, but for the sign of zeros and NaNs; None: refused."""
    if matrix is None or other is None:
        return matrix is other
    return matrix.shape == other.shape and all(numpy.array_equal(a, b, equal_nan=True) for a, b in
                                               ((matrix.real, other.real), (matrix.imag, other.imag)))


def number(value):
    """In C."""
    return {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}.get(repr(float(value)), repr(float(value)))


def row(name, text, matrix):
    """A line of the table."""
    quoted = "".join(chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else "\\n" if b == 10 else f"\\{b:03o}"
                     for b in text.encode())
    if matrix is None:
        return f'    {{"{name}", "{quoted}", -1, -1, {{0}}, {{0}}}},'
    parts = ["{" + ", ".join([number(v) for v in part.ravel()] or ["0"]) + "}" for part in (matrix.real, matrix.imag)]
    return f'    {{"{name}", "{quoted}", {matrix.shape[0]}, {matrix.shape[1]}, {parts[0]}, {parts[1]}}},'


def main():
    """Prints the table, or the counts."""
    found = [readings(name, text) for name, text, _ in VARIANTS]
    right = [expected(what, matrices) for (_, _, what), matrices in zip(VARIANTS, found)]
    if sys.argv[1:] == ["--counts"]:
        print(f"{len(VARIANTS)} variants; in the table {sum(m is not None for m in right)} have a reading")
        for k, reader in enumerate(READERS):
            taken = [(r[k], m) for r, m in zip(found, right) if r[k] is not None]
            print(f"{reader} reads {len(taken)}, of them {sum(is_same(*pair) for pair in taken)} so")
        return
    print("/* Written by variants.py: name, text, sizes (-1: no reading is right), real and imaginary parts by rows. */")
    print("/* clang-format off */")
    for (name, text, _), matrix in zip(VARIANTS, right):
        print(row(name, text, matrix))


if __name__ == "__main__":
    main()
