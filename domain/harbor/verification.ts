/**
 * How far a task's verification can be kept apart from its agent. `clean-room`: a fresh container gets the agent's working folder alone;
 * `same-image`: it needs the rest of the file system, too; `live`: it needs the agent's running processes.
 */
export const VERIFICATIONS = ['clean-room', 'same-image', 'live'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

export interface Evidence {
  /** Null: nothing speaks against a clean room. */
  file: string | null;
  text: string;
}

/** A test file, by its path in the task. */
export interface TestFile {
  path: string;
  text: string;
}

/** What only a process that the agent left can answer: an address with a port, a shell elsewhere, a list of processes. */
const PROCESSES =
  /\bhttps?:\/\/(?:localhost|127\.0\.0\.1)\b|\b(?:localhost|127\.0\.0\.1)(?::|["'],?\s*|\s+)\$?\{?\d{2,5}\b|\bssh\b[^\n]*@?(?:localhost|127\.0\.0\.1)|@localhost\b|\bpgrep\b|\bps\s+(?:aux|-e)|\bpsutil\.process_iter|\bparamiko\b|\bgrpc\.insecure_channel|\bvncdo|\bsystemctl\b|\bsmtplib\b|\bspawn\s+(?:telnet|ssh|nc)\b/;
/** Places that belong to the image; not those of the tests, their logs, or devices. */
const PLACES = /(?<![\w.:/-])\/(?:usr\/local|usr\/bin|usr\/lib|opt|tmp|root|home|etc|var|srv|data|workspace)\/[\w.-]+/g;
/** Tests make and clean these themselves. */
const OWN = /^\/(?:tmp|root)\/(?:\.local|\.cargo|uv|test|pytest|venv|\.venv|tmp)/;
/** A package or program that the agent was to install. */
const INSTALLED =
  /\bshutil\.which\(|\bcommand -v\b|\bdpkg\b|\bpip (?:show|list|freeze)\b|\bimportlib\.(?:metadata|util\.find_spec)\b|\bsubprocess\.[a-z_]+\(\s*\[\s*["'](R|Rscript|povray|pmars|ccomp|gcov|sqlite3)["']/;

/** The agent may install what its files need: `Install dependencies into the system python.` */
const FOR_THE_SYSTEM = /\binstall\b[^.\n]*\bsystem(?:-wide\b|wide\b| python\b)/i;
/** Libraries that what the agent builds is linked with, and is started by the tests without. */
const LINKED = /\binstall\b[^&;|\n]*\slib[\w.+-]*-dev\b/;
const STARTS = /\bsubprocess\.(?:run|Popen|check_\w+|call)\(|\bos\.(?:system|popen)\(/;

const inside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);

export interface TaskTexts {
  instruction: string;
  solution: string;
  /** How the image is made: what it names was there before the agent. */
  dockerfile: string;
}

/** What tests need of what the agent leaves, from their text. */
export function verificationOf(
  tests: readonly TestFile[],
  workdir: string,
  { instruction, solution, dockerfile }: TaskTexts,
): { verification: Verification; evidence: Evidence } {
  // A place that neither names is the image's, or the tests' own.
  const asked = [instruction, solution];
  const first = (find: (text: string) => string | null, among = (_: string): boolean => true): Evidence | null => {
    for (const { path, text } of tests) {
      if (!among(path)) continue;
      const found = find(withoutComments(text));
      if (found !== null) return { file: path, text: found };
    }
    return null;
  };
  const process = first(processIn, isScript);
  if (process !== null) return { verification: 'live', evidence: process };
  const place = first(
    (text) =>
      (text.match(PLACES) ?? []).find(
        (path) =>
          !inside(path, workdir) &&
          !OWN.test(path) &&
          !dockerfile.includes(path) &&
          !isAwaited(text, path) &&
          asked.some((text) => text.includes(path)),
      ) ?? null,
  );
  if (place !== null) return { verification: 'same-image', evidence: place };
  const installed = first((text) => {
    const [found, program] = INSTALLED.exec(text) ?? [];
    return found === undefined || (program !== undefined && installs(dockerfile, program)) ? null : found;
  });
  if (installed !== null) return { verification: 'same-image', evidence: installed };
  const invited = FOR_THE_SYSTEM.exec(instruction)?.[0];
  if (invited !== undefined) return { verification: 'same-image', evidence: { file: 'instruction.md', text: invited } };
  const linked = LINKED.exec(joined(solution))?.[0].trim();
  if (linked !== undefined && !LINKED.test(joined(dockerfile)) && first((text) => STARTS.exec(text)?.[0] ?? null))
    return { verification: 'same-image', evidence: { file: 'solution/solve.sh', text: linked } };
  return { verification: 'clean-room', evidence: { file: null, text: '' } };
}

/** Not a server that the tests start themselves. */
function processIn(text: string): string | null {
  for (const [found] of text.matchAll(new RegExp(`(?:${PROCESSES.source})(?::\\d+)?`, 'g'))) {
    const port = /:(\d+)$/.exec(found)?.[1];
    if (port === undefined || !new RegExp(`\\bhttp\\.server\\s+${port}\\b`).test(text)) return found;
  }
  return null;
}

/** A program that the tests start makes it: they wait for it to appear. */
function isAwaited(text: string, path: string): boolean {
  const named = new RegExp(`(\\w+)\\s*=\\s*(?:pathlib\\.)?Path\\(["']${path.replace(/[.+]/g, '\\$&')}["']\\)`, 'g');
  return STARTS.test(text) && [...text.matchAll(named)].some(([, name]) => text.includes(`while not ${name}.exists()`));
}

/** Scripts that run; others may be what is compared. */
const isScript = (path: string): boolean => /\.sh$|(?:^|\/)(?:test|verify|check|conftest)[^/]*$/.test(path);

/** Among the packages of an installation, which may go over several lines. */
const installs = (dockerfile: string, program: string): boolean =>
  new RegExp(`\\binstall\\b[^&;]*\\s${program}\\b`).test(joined(dockerfile));

const joined = (text: string): string => text.replace(/\\\n/g, ' ');

/** Scripts fetch their own tools, which says nothing of the agent's. */
const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter(
      (line) =>
        !/^\s*#/.test(line) &&
        !/\b(?:apt-get|apt|curl .*\| *sh|source|uv venv|uv init|uv add|uvx|pip install)\b/.test(line),
    )
    .join('\n');

/**
 * `python -m pytest` takes modules from the folder where it starts before any other, and so do -c and a script on stdin; uv takes a
 * project from there, and `source` whatever a relative path names.
 */
const TAKES_FROM_WORKDIR =
  /\bpython[\d.]*(?:\s+-(?![A-Za-z]*[IPmc])[A-Za-z]+)*\s+(?:-(?![A-Za-z]*[IP])[A-Za-z]*[mc]\s+[\w."']+|-(?=\s|$)|<<)|\buv\s+(?:run|init|add|sync|venv)\b|(?:^|[;&|]\s*)(?:source|\.)\s+(?![/~$"'])\S+|\bPYTHONPATH=/;

/** What test.sh, which starts in the working folder, runs from there; null: nothing is found. */
function fromWorkdir(script: string): string | null {
  let inTests = false;
  for (const line of script.split('\n')) {
    if (/^\s*#/.test(line)) continue;
    const folder = /^\s*cd\s+(\S+)/.exec(line)?.[1];
    if (folder !== undefined) inTests = /^["']?\/tests(?![\w-])/.test(folder);
    const found = inTests ? undefined : TAKES_FROM_WORKDIR.exec(line)?.[0].trim();
    if (found !== undefined) return found;
  }
  return null;
}

/** Code of the agent that runs in the tests' own process can end it, or write the reward. Null: none is found. */
export function inProcess(
  tests: readonly TestFile[],
  { instruction, solution }: Pick<TaskTexts, 'instruction' | 'solution'>,
): Evidence | null {
  const own = new Set(tests.map(({ path }) => /([^/]+)\.py$/.exec(path)?.[1]));
  for (const { path, text } of tests) {
    const started = path.endsWith('.sh') ? fromWorkdir(text) : null;
    if (started !== null) return { file: path, text: started };
    const loaded = /\b(?:pickle\.load|torch\.load|joblib\.load|dill\.load)\b/.exec(text);
    if (loaded !== null) return { file: path, text: loaded[0] };
    const found =
      /\bsys\.path\.(?:insert|append)\(|\bimportlib\.(?:import_module|util\.spec_from_file_location)\(|\brunpy\.run_path\(|(?<![\w.])exec\(\s*(?:compile|open|code|source)/.exec(
        text,
      );
    if (found !== null) return { file: path, text: found[0] };
    // A module that the agent is to write; the folder with it may be on the path by other ways.
    for (const [line, module = ''] of text.matchAll(/^[ \t]*(?:from|import) (\w+)/gm))
      if (!own.has(module) && new RegExp(`\\b${module}\\.py\\b`).test(`${instruction}\n${solution}`))
        return { file: path, text: line.trim() };
  }
  return null;
}
