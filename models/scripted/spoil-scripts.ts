import { extname } from 'node:path';

/** Run by `scripted:spoiler` in the agent's workspace, with Python 3.9's standard library. */

/** `keep` stores the correct submission; a way spoils one file. Exit code 3: no file fits. */
export const SPOIL = String.raw`import csv, io, json, os, shutil, sys

HERE = os.path.dirname(os.path.abspath(__file__))
RIGHT = os.path.join(HERE, "right")
with open(os.path.join(HERE, "plan.json")) as file:
    PLAN = json.load(file)

def submitted():
    found = [path for path in PLAN["files"] if os.path.isfile(path)]
    for folder in PLAN["folders"]:
        for place, _, names in sorted(os.walk(folder)):
            found += [os.path.join(place, name) for name in sorted(names)]
    return found

def copy(path, source, target):
    os.makedirs(os.path.dirname(os.path.join(target, path)) or ".", exist_ok=True)
    shutil.copyfile(os.path.join(source, path), os.path.join(target, path))

def keep():
    shutil.rmtree(RIGHT, ignore_errors=True)
    for path in submitted():
        copy(path, ".", RIGHT)
    return "%d files" % len(submitted())

def restore():
    for path in PLAN["files"]:
        if os.path.lexists(path):
            os.remove(path)
    for folder in PLAN["folders"]:
        shutil.rmtree(folder, ignore_errors=True)
    for place, _, names in os.walk(RIGHT):
        for name in names:
            copy(os.path.relpath(os.path.join(place, name), RIGHT), RIGHT, ".")

def first(*endings, without=()):
    for path in submitted():
        ending = os.path.splitext(path)[1]
        if (not endings or ending in endings) and ending not in without:
            return path
    return None

def rewrite(path, data):
    with open(path, "wb") as file:
        file.write(data)

def read(path):
    with open(path, "rb") as file:
        return file.read()

def table():
    path = first(".csv")
    if path is None:
        return None, []
    rows = list(csv.reader(io.StringIO(read(path).decode("utf-8"))))
    return (path, rows) if len(rows) > 1 else (None, [])

def write_table(path, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    rewrite(path, text.getvalue().encode("utf-8"))

def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True

def columns(rows, fits):
    """The last column beside the first one that fits, or the only one."""
    places = range(1, len(rows[0])) if len(rows[0]) > 1 else range(1)
    return [place for place in places if fits([row[place] for row in rows[1:]])][-1:]

def missing():
    for path in PLAN["files"][:1]:
        os.remove(path)
        return path
    shutil.rmtree(PLAN["folders"][0])
    return PLAN["folders"][0]

def empty():
    path = first()
    rewrite(path, b"")
    return path

def garbage():
    path = first()
    rewrite(path, bytes(range(255, -1, -1)) * 4)
    return path

def truncated():
    path = first(without=(".py", ".txt", ".md"))
    if path is not None:
        data = read(path)
        rewrite(path, data[: len(data) // 2])
    return path

def extra_row():
    path, rows = table()
    if path is not None:
        last = rows[-1]
        numbers = [int(row[0]) for row in rows[1:] if row[0].isdigit()]
        other = str(max(numbers) + 1) if len(numbers) == len(rows) - 1 else last[0] + "x"
        write_table(path, rows + [[other] + last[1:]])
    return path

def repeated_row():
    path, rows = table()
    if path is not None:
        write_table(path, rows + [rows[-1]])
    return path

def missing_column():
    path, rows = table()
    if path is None or len(rows[0]) < 2:
        return None
    write_table(path, [row[:-1] for row in rows])
    return path

def in_column(fits, value):
    path, rows = table()
    for place in columns(rows, fits) if path is not None else []:
        rows[1][place] = value
        write_table(path, rows)
        return path
    return None

def not_a_number():
    return in_column(lambda values: all(map(is_number, values)), "nan")

def text_for_number():
    return in_column(lambda values: all(map(is_number, values)), "many")

def unknown_label():
    # Sentences are no labels, however few of them there are.
    labels = lambda values: not any(is_number(value) or len(value.split()) > 3 for value in values)
    few = lambda values: len(set(values)) <= min(20, len(values) // 3)
    return in_column(lambda values: labels(values) and few(values), "no such label")

def syntax_error():
    path = first(".py")
    if path is not None:
        rewrite(path, read(path) + b"\ndef (:\n")
    return path

def raises():
    path = first(".py")
    if path is not None:
        rewrite(path, b"raise RuntimeError('spoiled')\n")
    return path

way = sys.argv[1]
if way == "keep":
    print(keep())
    sys.exit()
restore()
path = globals()[way]()
print("does not apply" if path is None else "%s: %s" % (way, path))
sys.exit(3 if path is None else 0)
`;

const TABLES = (ending: string): boolean => ending === '.csv';
const PROGRAMS = (ending: string): boolean => ending === '.py';
const ANY = (): boolean => true;

/** Ways of spoiling, with a test of the files' endings; `missing` is submitted at the end. */
const WAYS: Record<string, (ending: string) => boolean> = {
  empty: ANY,
  garbage: ANY,
  truncated: (ending) => !['.py', '.txt', '.md'].includes(ending),
  extra_row: TABLES,
  repeated_row: TABLES,
  missing_column: TABLES,
  not_a_number: TABLES,
  text_for_number: TABLES,
  unknown_label: TABLES,
  syntax_error: PROGRAMS,
  raises: PROGRAMS,
};

/** Includes those that folders may allow: their content is known only once made. */
export const waysOf = ({ files, folders }: { files: readonly string[]; folders: readonly string[] }): string[] =>
  Object.entries(WAYS)
    .filter(([, applies]) => folders.length > 0 || files.some((path) => applies(extname(path))))
    .map(([way]) => way);

/** Checksums of readable files below some folders that have one of these sizes. */
export const LOOK = String.raw`import hashlib, json, os, sys

sizes, roots = set(json.loads(sys.argv[1])), sys.argv[2:]
found, looked = {}, 0
for root in roots:
    for place, folders, names in os.walk(os.path.realpath(root)):
        folders[:] = [one for one in folders if os.path.join(place, one) not in ("/proc", "/sys", "/dev")]
        for name in names:
            path = os.path.join(place, name)
            looked += 1
            try:
                if os.path.islink(path) or os.stat(path).st_size not in sizes:
                    continue
                with open(path, "rb") as file:
                    digest = hashlib.sha256()
                    for block in iter(lambda: file.read(1 << 20), b""):
                        digest.update(block)
            except OSError:
                continue
            found[digest.hexdigest()] = path
print("LOOKED " + json.dumps({"files": looked, "found": found}))
`;

/** The container's limits as the agent sees them. */
export const LIMITS = String.raw`import json

def read(*paths):
    for path in paths:
        try:
            with open(path) as file:
                return file.read().strip()
        except OSError:
            pass
    return None

with open("/proc/net/dev") as file:
    devices = sorted(line.split(":")[0].strip() for line in file if ":" in line)
print("LIMITS " + json.dumps({
    "memory": read("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"),
    "pids": read("/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/pids/pids.max"),
    "network": devices,
}))
`;
