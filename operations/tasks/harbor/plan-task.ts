import { formatBytes } from '../../../domain/text/format.js';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { parse } from 'smol-toml';
import { valueAt } from '../../../domain/harbor/task-file.js';
import { parseAllowedHost } from '../../../domain/task/network.js';
import type { TaskSpecInput } from '../../../domain/task/task.js';
import type { HarborTask } from '../../../domain/views/tasks.js';
import { type BaseMapping, ownDockerfile } from './dockerfile.js';
import { plainPath } from '../import/plain-path.js';
import { surveyTask } from './survey-task.js';
import { quotedWord } from '../../../domain/text/shell-word.js';

const MOST_BYTES = 256 * 1024 * 1024;
const MOST_FILES = 20_000;
/** Size limit of a working folder. */
const SUBMISSION_BYTES = 256 * 1024 * 1024;
const WORKDIR = /^(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._+-]+)+$/;
const NOT_FOLLOWED = [
  ...['agent.user', 'artifacts', 'environment.gpu_types', 'environment.healthcheck', 'environment.skills_dir'],
  ...['verifier.allowed_hosts', 'verifier.collect', 'verifier.network_mode', 'verifier.user'],
];
/** System folders, and our own, which a working folder must not replace. */
const TAKEN = /^\/(?:bin|boot|dev|etc|home|lib|lib64|logs|opt|proc|root|run|sbin|solution|srv|sys|tests|tmp|usr|var)$/;

export interface ImportChoices {
  prefix: string;
  /** Replacements of the tasks' base images. */
  bases: readonly BaseMapping[];
  /** Build the Dockerfile even where an image is named. */
  build: boolean;
  /** Include tasks whose tests run in the agent's own container, among its processes. */
  live: boolean;
}

export interface HarborPlan {
  survey: HarborTask;
  /** Null: it is refused, and `survey.refusals` says why. */
  task: { id: string; spec: TaskSpecInput; dockerfile: string; from: string } | null;
}

type Toml = Readonly<Record<string, unknown>>;

/** Plans the import of a Harbor task; writes nothing. */
export function planHarborTask(folder: string, choices: ImportChoices): HarborPlan {
  const survey = surveyTask(folder);
  const refuse = (file: string, key: string, reason: string): void => void survey.refusals.push({ file, key, reason });
  const remark = (file: string, key: string, reason: string): void => void survey.remarks.push({ file, key, reason });
  const refused = (): HarborPlan => ({ survey: { ...survey, playable: false }, task: null });
  if (survey.refusals.length > 0) return refused();
  const toml: Toml = parse(readFileSync(join(folder, 'task.toml'), 'utf8'));
  for (const part of ['environment', 'tests', 'solution']) checkFiles(folder, part, refuse);
  const { workdir } = survey;
  if (!WORKDIR.test(workdir) || TAKEN.test(workdir))
    refuse('environment/Dockerfile', 'WORKDIR', `${JSON.stringify(workdir)} cannot be the working folder alone`);
  const { verification } = survey;
  if (verification === 'live') {
    const refusal = `the tests need processes that the agent leaves running (${(survey.evidence?.text ?? '').slice(0, 80)})`;
    const file = survey.evidence?.file ?? 'tests/test.sh';
    if (choices.live) remark(file, '', `${refusal}: they run in its own container, and no score is ranked`);
    else refuse(file, '', `${refusal}, which a clean verification does not have: \`live\` is required`);
  }
  if (
    valueAt(toml, 'verifier.environment_mode') === 'separate' ||
    valueAt(toml, 'verifier.environment') !== undefined ||
    plainPath(folder, 'tests/Dockerfile').kind !== 'missing'
  )
    refuse('task.toml', 'verifier.environment', 'a verifier with an image of its own is not supported');
  const network = networkOf(toml, refuse);
  const memoryMb = megabytesOf(toml, 'environment.memory_mb', 'environment.memory', refuse) ?? 2048;
  const workspaceMb = megabytesOf(toml, 'environment.storage_mb', 'environment.storage', refuse);
  for (const key of NOT_FOLLOWED) if (valueAt(toml, key) !== undefined) remark('task.toml', key, 'is ignored');
  for (const part of ['tests', 'solution'])
    if (plainPath(folder, `${part}/.harborignore`).kind !== 'missing')
      remark(`${part}/.harborignore`, '', 'is ignored: all files are taken');
  const [shared, ...more] = sharedNames(folder);
  if (shared !== undefined)
    remark(
      `environment/${shared}`,
      '',
      `${more.length === 0 ? 'is' : `and ${more.length} others are`} in tests/ under the same name: may the agent see it?`,
    );
  const dockerfile = ownDockerfile(folder, toml, choices, refuse);
  const id = `${choices.prefix}${basename(folder).replace(/[^A-Za-z0-9_-]+/g, '-')}`;
  if (!/^[A-Za-z0-9]/.test(id)) refuse('', '', `${JSON.stringify(basename(folder))} gives no name for a task`);
  if (survey.refusals.length > 0) return refused();

  const spec = specOf(folder, survey, toml, { id, network, memoryMb, workspaceMb });
  return { survey, task: { id, spec, dockerfile, from: basename(folder) } };
}

interface Planned {
  id: string;
  network: TaskSpecInput['network'];
  memoryMb: number;
  workspaceMb: number | undefined;
}

function specOf(
  folder: string,
  { name, verification, workdir, inProcess }: HarborTask,
  toml: Toml,
  { id, network, memoryMb, workspaceMb }: Planned,
): TaskSpecInput {
  const script = readFileSync(join(folder, 'tests', 'test.sh'), 'utf8');
  const seconds = (key: string): number | undefined => {
    const value = valueAt(toml, key);
    return typeof value === 'number' && value > 0 ? Math.ceil(value) : undefined;
  };
  const cpus = valueAt(toml, 'environment.cpus');
  const gpus = valueAt(toml, 'environment.gpus');
  const binary = isBinary(script);
  const timeoutSeconds = seconds('verifier.timeout_sec');
  const agentSeconds = seconds('agent.timeout_sec');
  return {
    schema: 1,
    id,
    name: name ?? basename(folder),
    contract: 1,
    domain: textAt(toml, 'metadata.category') ?? 'harbor',
    description: escaped(instruction(folder)),
    metrics: {
      reward: {
        direction: 'maximize',
        description: "what the task's own tests give",
        ...(binary && { bounds: { min: 0, max: 1 } }),
      },
    },
    primary: 'reward',
    // `tasks verify` shows that the untouched start does not pass.
    ...(binary && {
      ...{ baseline: { value: 0, standardError: 0 }, target: { value: 1, kind: 'optimum' as const } },
    }),
    oracle: { command: solving(toml) },
    submission: { whole: true, maxBytes: SUBMISSION_BYTES },
    evaluator: {
      kind: 'harbor',
      ...{ verification, workdir },
      ctrf: script.includes('/logs/verifier/ctrf.json'),
      ...(inProcess !== null && { inProcess: true }),
      env: variables(toml, 'verifier.env'),
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      memoryMb,
    },
    limits: {
      ...(agentSeconds !== undefined && { commandSeconds: agentSeconds, wallSeconds: agentSeconds }),
      memoryMb,
      ...(typeof cpus === 'number' && cpus > 0 && { cpus }),
      ...(workspaceMb !== undefined && { workspaceMb }),
    },
    network,
    ...(typeof gpus === 'number' && gpus > 0 && { gpus: Math.ceil(gpus) }),
  };
}

type Refuse = (file: string, key: string, reason: string) => void;

const textAt = (toml: Toml, key: string): string | undefined => {
  const value = valueAt(toml, key);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
};

/** Only plain files of a bounded size: no links out of the folder. */
function checkFiles(folder: string, part: string, refuse: Refuse): void {
  let [files, bytes] = [0, 0];
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) [files, bytes] = [files + 1, bytes + lstatSync(path).size];
      else refuse(relative(folder, path), '', 'neither a file nor a folder');
    }
  };
  const root = join(folder, part);
  const there = plainPath(folder, part);
  if (there.kind === 'refused') refuse(there.part, '', there.reason);
  else if (there.kind === 'file') refuse(part, '', 'not a folder');
  else if (there.kind === 'folder') walk(root);
  if (files > MOST_FILES || bytes > MOST_BYTES)
    refuse(`${part}/`, '', `more than ${MOST_FILES} files, or ${formatBytes(MOST_BYTES)}`);
}

function sharedNames(folder: string): string[] {
  const names = (part: string): string[] => {
    const root = join(folder, part);
    return plainPath(folder, part).kind === 'folder'
      ? readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => lstatSync(join(root, path)).isFile())
      : [];
  };
  const tested = new Set(names('tests').map((path) => basename(path)));
  return names('environment').filter((path) => tested.has(basename(path)));
}

/** Harbor's default is the whole network. */
function networkOf(toml: Toml, refuse: Refuse): NonNullable<TaskSpecInput['network']> {
  const at = (key: string): unknown => valueAt(toml, `agent.${key}`) ?? valueAt(toml, `environment.${key}`);
  const mode = at('network_mode') ?? (valueAt(toml, 'environment.allow_internet') === false ? 'no-network' : 'public');
  if (mode === 'public') return 'open';
  if (mode === 'no-network') return 'none';
  const hosts = at('allowed_hosts');
  if (mode !== 'allowlist' || !Array.isArray(hosts) || hosts.length === 0) {
    refuse('task.toml', 'network_mode', `${JSON.stringify(mode)} with these allowed_hosts is not known`);
    return 'none';
  }
  const allow = hosts.map(String);
  for (const host of allow) {
    const read = parseAllowedHost(host);
    if (typeof read === 'string') refuse('task.toml', 'allowed_hosts', `${read}, found ${JSON.stringify(host)}`);
  }
  return { allow };
}

/** Megabytes; the older spelling is `2G`. */
function megabytesOf(toml: Toml, key: string, older: string, refuse: Refuse): number | undefined {
  const value = valueAt(toml, key);
  if (typeof value === 'number') return value > 0 ? Math.ceil(value) : undefined;
  const text = valueAt(toml, older);
  if (text === undefined) return undefined;
  const [, amount, unit] =
    /^(\d+(?:\.\d+)?)\s*([KMGT])(?:i?B)?$/i.exec(typeof text === 'string' ? text.trim() : '') ?? [];
  if (amount === undefined || unit === undefined) {
    refuse('task.toml', older, `${JSON.stringify(text)} is not a size like 2G`);
    return undefined;
  }
  const factor = { K: 1 / 1024, M: 1, G: 1024, T: 1024 * 1024 }[unit.toUpperCase() as 'K' | 'M' | 'G' | 'T'];
  return Math.max(1, Math.ceil(Number(amount) * factor));
}

/** Whether the script only ever writes 0 or 1 as the reward. */
function isBinary(script: string): boolean {
  const writes = [...script.matchAll(/^.*>\s*["']?\/logs\/verifier\/reward\.(?:txt|json).*$/gm)].map(([line]) => line);
  return writes.length > 0 && writes.every((line) => /\becho\s+(?:-n\s+)?["']?[01](?:\.0)?["']?\s*>/.test(line));
}

/** Only comments and headings, as in Harbor: an instruction may mention a canary. */
const CANARY = /^\s*(?:<!--.*canary.*-->|#.*canary.*)\s*$/i;

/** Without the canary lines at its beginning. */
function instruction(folder: string): string {
  const lines = readFileSync(join(folder, 'instruction.md'), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !CANARY.test(line));
  return lines.slice(Math.max(0, first)).join('\n').trim();
}

/** The text is not a template. */
const escaped = (text: string): string => text.replace(/\{[{%#]/g, (open) => `{{ "${open}" }}`);

function variables(toml: Toml, table: string): Record<string, string> {
  const found = valueAt(toml, table);
  if (typeof found !== 'object' || found === null) return {};
  // A default may stand for a variable of the host.
  const plain = (value: string): string => value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, plain(String(value))]));
}

/** The solution stays where Harbor has it, outside the working folder. */
function solving(toml: Toml): string {
  const exports = Object.entries({ DEBIAN_FRONTEND: 'noninteractive', ...variables(toml, 'solution.env') });
  const refusal = exports.map(([name, value]) => `${name}=${quotedWord(value)}`).join(' ');
  return `rm -rf ~/.solution && mv .solution ~/.solution && ${refusal} bash /solution/solve.sh`;
}
