/**
 * Separation of verification and agent. `clean-room`: a fresh container gets the working folder
 * only; `same-image`: also the rest of the file system; `live`: the agent's processes run.
 */
export const VERIFICATIONS = ['clean-room', 'same-image', 'live'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

export interface Evidence {
  /** Null: a clean room suffices. */
  file: string | null;
  text: string;
}

/** By its path in the task. */
export interface TestFile {
  path: string;
  text: string;
}

/** Only a process left by the agent answers: address with port, remote shell, process list. */
const PROCESSES =
  /\bhttps?:\/\/(?:localhost|127\.0\.0\.1)\b|\b(?:localhost|127\.0\.0\.1)(?::|["'],?\s*|\s+)\$?\{?\d{2,5}\b|\bssh\b[^\n]*@?(?:localhost|127\.0\.0\.1)|@localhost\b|\bpgrep\b|\bps\s+(?:aux|-e)|\bpsutil\.process_iter|\bparamiko\b|\bgrpc\.insecure_channel|\bvncdo|\bsystemctl\b|\bsmtplib\b|\bspawn\s+(?:telnet|ssh|nc)\b/;
/** Places of the image, without the tests' own, logs and devices. */
const PLACES = /(?<![\w.:/-])\/(?:usr\/local|usr\/bin|usr\/lib|opt|tmp|root|home|etc|var|srv|data|workspace)\/[\w.-]+/g;
/** Made and cleaned by the tests. */
const OWN = /^\/(?:tmp|root)\/(?:\.local|\.cargo|uv|test|pytest|venv|\.venv|tmp)/;
/** A package or program that the agent had to install. */
const INSTALLED =
  /\bshutil\.which\(|\bcommand -v\b|\bdpkg\b|\bpip (?:show|list|freeze)\b|\bimportlib\.(?:metadata|util\.find_spec)\b|\bsubprocess\.[a-z_]+\(\s*\[\s*["'](R|Rscript|povray|pmars|ccomp|gcov|sqlite3)["']/;

/** The agent may install what its files need: `Install dependencies into the system python.` */
const FOR_THE_SYSTEM = /\binstall\b[^.\n]*\bsystem(?:-wide\b|wide\b| python\b)/i;
/** The agent's build links these libraries, and the tests start it without them. */
const LINKED = /\binstall\b[^&;|\n]*\slib[\w.+-]*-dev\b/;
const STARTS = /\bsubprocess\.(?:run|Popen|check_\w+|call)\(|\bos\.(?:system|popen)\(/;

const inside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`);

export interface TaskTexts {
  instruction: string;
  solution: string;
  /** What it names existed before the agent. */
  dockerfile: string;
}

/** What tests need from the agent, by their text. */
export function verificationOf(
  tests: readonly TestFile[],
  workdir: string,
  { instruction, solution, dockerfile }: TaskTexts,
): { verification: Verification; evidence: Evidence } {
  // A place that neither names belongs to the image or the tests.
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

/** Not a server that the tests start. */
function processIn(text: string): string | null {
  for (const [found] of text.matchAll(new RegExp(`(?:${PROCESSES.source})(?::\\d+)?`, 'g'))) {
    const port = /:(\d+)$/.exec(found)?.[1];
    if (port === undefined || !new RegExp(`\\bhttp\\.server\\s+${port}\\b`).test(text)) return found;
  }
  return null;
}

/** Tests start a program that makes it, and wait for it. */
function isAwaited(text: string, path: string): boolean {
  const named = new RegExp(`(\\w+)\\s*=\\s*(?:pathlib\\.)?Path\\(["']${path.replace(/[.+]/g, '\\$&')}["']\\)`, 'g');
  return STARTS.test(text) && [...text.matchAll(named)].some(([, name]) => text.includes(`while not ${name}.exists()`));
}

/** Scripts that run; others may only be compared. */
const isScript = (path: string): boolean => /\.sh$|(?:^|\/)(?:test|verify|check|conftest)[^/]*$/.test(path);

/** Among an installation's packages, over several lines. */
const installs = (dockerfile: string, program: string): boolean =>
  new RegExp(`\\binstall\\b[^&;]*\\s${program}\\b`).test(joined(dockerfile));

const joined = (text: string): string => text.replace(/\\\n/g, ' ');

/** Scripts fetch their own tools, which says nothing about the agent's. */
const withoutComments = (text: string): string =>
  text
    .split('\n')
    .filter(
      (line) =>
        !/^\s*#/.test(line) &&
        !/\b(?:apt-get|apt|curl .*\| *sh|source|uv venv|uv init|uv add|uvx|pip install)\b/.test(line),
    )
    .join('\n');

/** Python (-m, -c, stdin) imports from the current folder first; uv and `source` also read it. */
const TAKES_FROM_WORKDIR =
  /\bpython[\d.]*(?:\s+-(?![A-Za-z]*[IPmc])[A-Za-z]+)*\s+(?:-(?![A-Za-z]*[IP])[A-Za-z]*[mc]\s+[\w."']+|-(?=\s|$)|<<)|\buv\s+(?:run|init|add|sync|venv)\b|(?:^|[;&|]\s*)(?:source|\.)\s+(?![/~$"'])\S+|\bPYTHONPATH=/;

/** What test.sh runs from its working folder; null: nothing is found. */
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

/** Agent code in the tests' process can end it, or write the reward. Null: none is found. */
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
    // A module that the agent has to write; its folder may be on the path otherwise.
    for (const [line, module = ''] of text.matchAll(/^[ \t]*(?:from|import) (\w+)/gm))
      if (!own.has(module) && new RegExp(`\\b${module}\\.py\\b`).test(`${instruction}\n${solution}`))
        return { file: path, text: line.trim() };
  }
  return null;
}
