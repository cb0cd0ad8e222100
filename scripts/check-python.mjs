// Lint, format, types and tests of the Python in this repository, with the tools of requirements-dev.txt. They live in an
// environment under the user's cache, one for each content of that file and each Python, to which .bench/python-tools leads: all
// checkouts share it. `npm run check:python -- pytest -k name` runs one of them.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';

const PYTHON = 'python3';
const REQUIREMENTS = 'requirements-dev.txt';
const environment = resolve('.bench/python-tools');
const cache = placeIn(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'bench'));

/** The folder, or that of the checkout where it cannot be written. */
function placeIn(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return resolve('.bench');
  }
}

/** Of a whole environment. */
const MADE = 'made';

const CHECKS = [
  ['ruff', 'check', '--quiet', '.'],
  ['ruff', 'format', '--check', '--output-format', 'concise', '--quiet', '.'],
  ['mypy', '--no-error-summary'],
  ['pytest', '--quiet'],
];

function fail(message) {
  console.error(message);
  process.exit(1);
}

const output = async (file, args) => await execa(file, args, { reject: false, all: true });

async function ensureTools() {
  const python = await output(PYTHON, ['-c', 'import sys; print(sys.executable, sys.version)']);
  if (python.failed)
    fail(`There is no ${PYTHON}. Install Python 3.11 or newer (on Debian: apt-get install python3 python3-venv).`);
  const madeFrom = createHash('sha256').update(python.stdout).update(readFileSync(REQUIREMENTS)).digest('hex');
  const shared = join(cache, `python-tools-${madeFrom.slice(0, 16)}`);
  if (!existsSync(join(shared, MADE))) {
    const own = `${shared}-${process.pid}`;
    await make(own);
    // Two may make it at once: the last one's is used, whole.
    lead(shared, own);
  }
  lead(environment, shared);
}

/** Replaces what lies at `path` by a link. */
function lead(path, target) {
  mkdirSync(dirname(path), { recursive: true });
  const link = `${path}.${process.pid}`;
  symlinkSync(target, link);
  try {
    renameSync(link, path);
  } catch {
    // A folder of an earlier version.
    rmSync(path, { recursive: true, force: true });
    renameSync(link, path);
  }
}

async function make(environment) {
  rmSync(environment, { recursive: true, force: true });
  mkdirSync(environment, { recursive: true });
  // The machine's own pip can install into it, from version 22.3 on; a copy of pip takes as long to unpack as the tools.
  const inside = `${environment}/bin/python`;
  const own = ['-m', 'pip', '--python', inside];
  const without = await output(PYTHON, ['-m', 'venv', '--without-pip', environment]);
  const hasOwn = !without.failed && !(await output(PYTHON, [...own, '--version'])).failed;
  const made = hasOwn ? without : await output(PYTHON, ['-m', 'venv', environment]);
  if (made.failed)
    fail(
      `${PYTHON} cannot make a virtual environment: venv or pip is missing (on Debian: apt-get install python3-venv).\n${made.all ?? ''}`,
    );
  const pip = ['--disable-pip-version-check', 'install', '--quiet', '--no-deps', '-r', REQUIREMENTS];
  const installed = await (hasOwn ? output(PYTHON, [...own, ...pip]) : output(inside, ['-m', 'pip', ...pip]));
  if (installed.failed) rmSync(environment, { recursive: true, force: true });
  if (installed.failed) fail(`The tools of ${REQUIREMENTS} cannot be installed.\n${installed.all ?? ''}`);
  writeFileSync(join(environment, MADE), '');
}

await ensureTools();
const only = process.argv.slice(2);
let failed = false;
for (const [tool, ...args] of only.length > 0 ? [only] : CHECKS) {
  const { exitCode } = await execa(`${environment}/bin/${tool}`, args, {
    reject: false,
    stdio: 'inherit',
    // What lies in images/ travels, as it is, into images and packages.
    env: { PYTHONDONTWRITEBYTECODE: '1' },
  });
  if (exitCode !== 0) {
    console.error(`${[tool, ...args].join(' ')} failed`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
