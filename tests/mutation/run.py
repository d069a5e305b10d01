#!/usr/bin/env python3
"""Changes the library at random, one place at a time, and tells which changes no test notices.

    tests/mutation/run.py N SEED [--build FOLDER] [--seconds S] [--test-seconds S] [--jobs J] [--file PATTERN]

Works on a copy of the tree in FOLDER (build-mutation by default), which is kept, so that later runs build little. A
change whose objects are the same bytes as before, or that does not compile, is not counted and drawn again. The tests
of the part that was changed run one by one, the fastest first, until one fails or takes ten times as long as it should.
Prints a line a change and the share that was caught; exits 1 if that is below 90 percent of 20 changes or more. The
same N and SEED change the same places of the same tree. Needs Ninja.

--seconds ends a run early; what was not tried is not counted. --test-seconds: of a part's tests the fastest, which take
so long together. --file: changes in files whose path this pattern matches."""
import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = ("src/", "amg/", "matrices/")

# Of which part a file is, and the tests of that part; the first that fits.
PARTS = [
    (r"^(src/host/amg/|amg/(amg_backend|lanczos|numerics|random|units)|src/spgemm/galerkin)", r"^test_amg_"),
    (r"^amg/", r"^test_amg_"),
    (r"^(src/host/sampling/|src/sampling|src/philox)", r"^test_(sampling_|weights$|statistics$)"),
    (r"^(src/host/spgemm/|src/spgemm/)", r"^test_(product_|amg_(galerkin|update$))"),
    (r"^src/(host/)?operations/", r"^test_operations"),
    (r"^matrices/matrix_market", r"^test_matrix_market_"),
    (r"^matrices/", r"^test_(generator|prolongator|weights)"),
    (r"", r"^test_(context|memory|csr|coo|transpose|containers_|cores|threads|product_(short|plan|misuse|memory|stats))"),
]

# What is changed to what, within one line of code.
CHANGES = [
    (r"(?<![<>=!+*/&|-])<(?![<=])(?=[^>]*[;)?&|])", "<="), (r"<=(?!=)", "<"),
    (r"(?<![->=])>(?![>=])(?=[^<]*[;)?&|])", ">="), (r"(?<!>)>=", ">"),
    (r"==", "!="), (r"!=", "=="), (r"&&", "||"), (r"\|\|", "&&"),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* (?=[a-z0-9(])(?<=[a-z0-9)\]] \* )", " + "),
    (r" / ", " * "), (r" % ", " / "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" & ", " | "), (r" \| ", " & "), (r"<<(?!=)", ">>"), (r">>(?!=)", "<<"),
    (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "0"), (r"(?<![\w.])([2-9]\d*)(?![\w.])", r"(\1 + 1)"),
    (r"(?<=\()!(?=\w)", ""), (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"\bcontinue;", ";"), (r"\bbreak;", ";"),
    (r"^(\s+)[a-zA-Z_][\w>.\[\]\-]*\(.*\);$", r"\1;"), (r"^(\s+)[\w>.\[\]\-]+ [-+|&]?= [^;]*;$", r"\1;"),
]


def code_lines(text):
    """(number, line) of what is neither comment, string-only nor preprocessor."""
    in_comment = in_macro = False
    for number, line in enumerate(text.split("\n")):
        was_macro, in_macro = in_macro, (in_macro or line.lstrip().startswith("#")) and line.endswith("\\")
        if in_comment:
            in_comment = "*/" not in line
            continue
        if was_macro or line.lstrip().startswith("#"):
            continue
        if "/*" in line and "*/" not in line:
            in_comment = True
            continue
        if "/*" not in line and '"' not in line and re.search(r"\w", line):
            yield number, line


def sites_of(text):
    lines = text.split("\n")
    for number, line in code_lines(text):
        if re.match(r"(typedef|static const|enum|extern|const) ?.*[;{(]$", line) or line.startswith(("}", "{")):
            continue
        for pattern, other in CHANGES:
            for match in re.finditer(pattern, line):
                changed = line[: match.start()] + match.expand(other) + line[match.end():]
                if changed != line:
                    whole = "\n".join(lines[:number] + [changed] + lines[number + 1:])
                    yield number, f"{line.strip()}  ->  {changed.strip()}", whole


class Tree:
    def __init__(self, build, jobs):
        self.tree, self.build, self.jobs = os.path.join(build, "tree"), os.path.join(build, "build"), jobs
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
        self.files = [f for f in files.split("\0") if f and os.path.isfile(os.path.join(ROOT, f))]
        for name in self.files:
            with open(os.path.join(ROOT, name), "rb") as file:
                self.put(name, file.read(), os.stat(os.path.join(ROOT, name)).st_mode)
        subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", self.build, "-DSPG_CUDA=OFF", "-DSPG_PEERS=OFF",
                        "-DSPG_BUILD_BENCH=OFF", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1"],
                       check=True, stdout=subprocess.DEVNULL)
        if not self.make("spg_objects", "spg_matrices"):
            sys.exit("the tree as it is does not build: see ninja -C " + self.build)
        self.objects = self.hashes({})

    def put(self, name, data, mode=0o644):
        path = os.path.join(self.tree, name)
        if os.path.exists(path):
            with open(path, "rb") as file:
                if file.read() == data:
                    return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)

    def make(self, *targets):
        return subprocess.run(["ninja", "-j", str(self.jobs), "-C", self.build, *targets],
                              capture_output=True).returncode == 0

    def hashes(self, known):
        """Of the library's objects: path -> (time of change, hash); what did not change in time is taken from known."""
        found = {}
        for part in ("src", "matrices"):
            for folder, _, names in os.walk(os.path.join(self.build, part)):
                for path in (os.path.join(folder, name) for name in names if name.endswith(".o")):
                    at = os.stat(path).st_mtime_ns
                    if path in known and known[path][0] == at:
                        found[path] = known[path]
                    else:
                        with open(path, "rb") as file:
                            found[path] = (at, hashlib.sha256(file.read()).digest())
        return found

    def differs(self):
        now = self.hashes(self.objects)
        return any(self.objects[path][1] != now[path][1] for path in now)

    def tests(self):
        """name -> (command, environment) of the programs that run on the host."""
        listed = json.loads(subprocess.run(["ctest", "--show-only=json-v1"], cwd=self.build, check=True,
                                           capture_output=True, text=True).stdout)["tests"]
        found = {}
        for test in listed:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            command = test.get("command") or [os.path.join(self.build, "tests", test["name"])] # not built yet
            if {"gpu", "build", "soak"} & set(properties.get("LABELS", [])) or len(command) != 1:
                continue
            if not re.match(r"test_", test["name"]):
                continue
            found[test["name"]] = (command, dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", [])))
        return found


def run_test(test, limit):
    """Whether it passes, or is skipped, within the limit."""
    command, environment = test
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=limit)
        return done.returncode in (0, 77)
    except subprocess.TimeoutExpired:
        return False


class Suite:
    """The tests and how long each takes, measured the first time that it is asked for."""

    def __init__(self, tree, path, most):
        self.tree, self.path, self.most, self.all = tree, path, most, tree.tests()
        self.seconds = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.seconds = json.load(file)

    def measure(self, name):
        if name in self.seconds:
            return
        self.tree.make(name)
        limit = min(self.most, 1800) # what takes longer is not run anyway
        begin = time.monotonic()
        passed = run_test(self.all[name], limit)
        self.seconds[name] = time.monotonic() - begin
        if not passed and self.seconds[name] < limit:
            sys.exit(name + " fails on the tree as it is")
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.seconds, file)

    def of(self, file):
        pattern = next(tests for files, tests in PARTS if re.search(files, file))
        names = [name for name in self.all if re.search(pattern, name)]
        if not names:
            sys.exit("no test is for " + file)
        for name in names:
            self.measure(name)
        taken, spent = [], 0
        for name in sorted(names, key=lambda name: self.seconds[name]):
            spent += self.seconds[name]
            if not taken or spent <= self.most:
                taken.append(name)
        return taken

    def catches(self, names):
        """The first of these tests that fails; None if none does."""
        for name in names:
            if not self.tree.make(name) or not run_test(self.all[name], 10 + 10 * self.seconds[name]):
                return name
        return None


def sites(tree, pattern):
    found = []
    for name in sorted(tree.files):
        if name.startswith(SOURCES) and name.endswith((".c", ".h")) and re.search(pattern, name):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                found += [(name, *site) for site in sites_of(file.read())]
    return found


def try_change(tree, suite, name, changed):
    """'not compiled', 'no difference', the test that caught it, or None."""
    with open(os.path.join(ROOT, name), "rb") as file:
        original = file.read()
    names = suite.of(name)
    tree.put(name, changed.encode())
    try:
        if not tree.make("spg_objects", "spg_matrices"):
            return "not compiled"
        return suite.catches(names) if tree.differs() else "no difference"
    finally:
        tree.put(name, original)
        tree.make("spg_objects", "spg_matrices")
        tree.objects = tree.hashes(tree.objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--build", default=os.path.join(ROOT, "build-mutation"))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--test-seconds", type=float, default=float("inf"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--file", default="")
    options = parser.parse_args()
    begin = time.monotonic()
    tree = Tree(os.path.abspath(options.build), options.jobs)
    suite = Suite(tree, os.path.join(os.path.abspath(options.build), "seconds.json"),
                  options.test_seconds)
    places = sites(tree, options.file)
    random.Random(options.seed).shuffle(places)
    counts = {"caught": 0, "survived": 0}
    for name, number, change, changed in places:
        if sum(counts.values()) == options.n or time.monotonic() - begin > options.seconds:
            break
        outcome = try_change(tree, suite, name, changed)
        if outcome in ("not compiled", "no difference"):
            continue
        counts["caught" if outcome else "survived"] += 1
        print(f"{outcome or 'SURVIVED'}: {name}:{number + 1}: {change}", flush=True)
    tried = sum(counts.values())
    print(f"{counts['caught']} of {tried} changes caught, {100 * counts['caught'] / max(tried, 1):.1f} %")
    return 1 if tried >= 20 and counts["caught"] < 0.9 * tried else 0


if __name__ == "__main__":
    sys.exit(main())
