import { formatBytes } from '../../../domain/text/format.js';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, posix, relative } from 'node:path';
// A TOML 1.0 reader without dependencies, with types, and errors with line and column.
import { parse, TomlError } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { composeRefusals } from '../../../domain/harbor/compose-file.js';
import { KNOWN_VERSIONS, unknownKeys, valueAt } from '../../../domain/harbor/task-file.js';
import { fetchedByTests } from '../../../domain/harbor/test-downloads.js';
import { inProcess, type TestFile, verificationOf } from '../../../domain/harbor/verification.js';
import type { HarborTask } from '../../../domain/views/tasks.js';
import { plainPath } from '../import/plain-path.js';

const MOST_BYTES = 1024 * 1024;
const MOST_TESTS = 200;

/** Reasons against playing a task, each with its place. */
class Findings {
  readonly refusals: HarborTask['refusals'] = [];
  readonly remarks: HarborTask['remarks'] = [];

  /** A linked folder is reported with each of its files. */
  refuse(file: string, key: string, reason: string): void {
    const known = this.refusals.some((one) => one.file === file && one.key === key && one.reason === reason);
    if (!known) this.refusals.push({ file, key, reason });
  }

  remark(file: string, key: string, reason: string): void {
    this.remarks.push({ file, key, reason });
  }
}

/** Reads a Harbor task; runs nothing of it. */
export function surveyTask(folder: string): HarborTask {
  const found = new Findings();
  const file = readToml(folder, found) ?? {};
  checkVersion(file, found);
  for (const key of unknownKeys(file)) found.remark('task.toml', key, 'unknown key: Harbor ignores it, too');
  checkEnvironment(folder, file, found);
  const texts = { instruction: '', solution: '', dockerfile: readText(folder, 'environment/Dockerfile', found) ?? '' };
  for (const [path, what, part] of [
    ['instruction.md', 'nothing says what to do', 'instruction'],
    ['tests/test.sh', 'nothing verifies it', null],
    ['solution/solve.sh', 'nothing shows that it can be solved', 'solution'],
  ] as const) {
    const text = readText(folder, path, found);
    if (text === null) found.refuse(path, '', what);
    else if (part !== null) texts[part] = text;
  }
  const workdir = workdirOf(folder, file, found);
  const tests = testFiles(folder, found);
  const { verification, evidence } = verificationOf(tests, workdir, texts);
  const within = inProcess(tests, texts);
  const fetched = fetchedByTests(tests);
  if (fetched !== null && verification !== 'live')
    found.remark(
      fetched.file,
      '',
      `fetches from ${fetched.hosts.join(', ')}, and tests have no network: they may fail for anyone`,
    );
  return {
    task: basename(folder),
    name: typeof valueAt(file, 'task.name') === 'string' ? String(valueAt(file, 'task.name')) : null,
    playable: found.refusals.length === 0,
    ...{ verification, evidence: evidence.file === null ? null : evidence, workdir },
    inProcess: within,
    ...{ refusals: found.refusals, remarks: found.remarks },
  };
}

function readText(folder: string, path: string, found: Findings): string | null {
  const whole = join(folder, path);
  const there = plainPath(folder, path);
  if (there.kind === 'missing') return null;
  if (there.kind !== 'file') {
    if (there.kind === 'refused') found.refuse(there.part, '', there.reason);
    else found.refuse(path, '', 'not a plain file');
    return '';
  }
  if (statSync(whole).size > MOST_BYTES) {
    found.refuse(path, '', `larger than ${formatBytes(MOST_BYTES)}`);
    return '';
  }
  return readFileSync(whole, 'utf8');
}

function readToml(folder: string, found: Findings): Record<string, unknown> | null {
  const text = readText(folder, 'task.toml', found);
  if (text === null) found.refuse('task.toml', '', 'the file is missing');
  if (text === null || text === '') return null;
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [said = ''] = error.message.split('\n');
    found.refuse('task.toml', `line ${error.line}`, `not TOML: ${said.replace(/^Invalid TOML document: /, '')}`);
    return null;
  }
}

function checkVersion(file: Record<string, unknown>, found: Findings): void {
  const key = file['schema_version'] === undefined ? 'version' : 'schema_version';
  const version = file[key];
  if (version === undefined) return;
  if (typeof version !== 'string' || !KNOWN_VERSIONS.includes(version))
    found.refuse('task.toml', key, `version ${JSON.stringify(version)} is not known: ${KNOWN_VERSIONS.join(', ')} are`);
}

function checkEnvironment(folder: string, file: Record<string, unknown>, found: Findings): void {
  const refuse = (key: string, reason: string): void => found.refuse('task.toml', key, reason);
  const wanted = (key: string): unknown => valueAt(file, key);
  if (Array.isArray(file['steps']) && file['steps'].length > 0)
    refuse('steps', 'tasks with several steps are not supported');
  const os = wanted('environment.os');
  if (os !== undefined && os !== 'linux') refuse('environment.os', `${JSON.stringify(os)} is not linux`);
  if (wanted('environment.tpu') !== undefined) refuse('environment.tpu', 'there are no TPUs');
  const servers = wanted('environment.mcp_servers');
  if (Array.isArray(servers) && servers.length > 0) refuse('environment.mcp_servers', 'agents have no MCP servers');
  for (const table of ['environment.env', 'verifier.env', 'solution.env']) {
    const env = wanted(table);
    if (typeof env !== 'object' || env === null) continue;
    for (const [name, value] of Object.entries(env))
      if (typeof value === 'string' && /\$\{\w+\}/.test(value))
        refuse(`${table}.${name}`, 'requests a variable of the host, which may be a secret');
  }
  for (const key of [
    'environment.cpus',
    'environment.memory_mb',
    'environment.storage_mb',
    'environment.gpus',
    'agent.timeout_sec',
    'verifier.timeout_sec',
  ]) {
    const value = wanted(key);
    if (value !== undefined && !(typeof value === 'number' && Number.isFinite(value) && value >= 0))
      refuse(key, `${typeof value === 'number' ? String(value) : JSON.stringify(value)} is not a number from 0`);
  }
  const compose = readText(folder, 'environment/docker-compose.yaml', found);
  if (compose !== null) checkCompose(compose, found);
  if (plainPath(folder, 'environment/docker-compose.yml').kind !== 'missing')
    found.remark('environment/docker-compose.yml', '', 'has no effect: Harbor reads docker-compose.yaml alone');
  const dockerfile = readText(folder, 'environment/Dockerfile', found);
  if (dockerfile === null && compose === null && wanted('environment.docker_image') === undefined)
    found.refuse('environment/Dockerfile', '', 'there is no image: neither a Dockerfile nor environment.docker_image');
}

function checkCompose(text: string, found: Findings): void {
  const path = 'environment/docker-compose.yaml';
  let file: unknown;
  try {
    file = parseYaml(text, { maxAliasCount: 20 });
  } catch (error) {
    found.refuse(path, '', `not YAML: ${(error as Error).message.split('\n')[0] ?? ''}`);
    return;
  }
  for (const { key, reason } of composeRefusals(file)) found.refuse(path, key, reason);
}

/** The agent's folder: the task's setting, or the Dockerfile's last WORKDIR. */
function workdirOf(folder: string, file: Record<string, unknown>, found: Findings): string {
  const said = valueAt(file, 'environment.workdir');
  if (typeof said === 'string') return said;
  const last = lastWorkdir(readText(folder, 'environment/Dockerfile', found) ?? '');
  if (last === null)
    found.remark('environment/Dockerfile', 'WORKDIR', 'does not say where the agent works: /app is taken');
  return last ?? '/app';
}

/** Of the last stage or the one that it builds on; null: the image's own. */
function lastWorkdir(dockerfile: string): string | null {
  const stages = new Map<string, string | null>();
  let [stage, at]: [string | undefined, string | null] = [undefined, null];
  for (const line of dockerfile.split('\n')) {
    const [, image, name] = /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i.exec(line) ?? [];
    if (image !== undefined) [stage, at] = [name?.toLowerCase(), stages.get(image.toLowerCase()) ?? null];
    const path = /^\s*WORKDIR\s+["']?([^\s"']+)/i.exec(line)?.[1];
    if (path?.startsWith('/')) at = posix.normalize(path);
    else if (path !== undefined && at !== null) at = posix.join(at, path);
    if (stage !== undefined) stages.set(stage, at);
  }
  return at !== null && at.length > 1 ? at.replace(/\/$/, '') : at;
}

function testFiles(folder: string, found: Findings): TestFile[] {
  const root = join(folder, 'tests');
  const files: TestFile[] = [];
  const walk = (at: string): void => {
    for (const entry of readdirSync(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && /\.(?:sh|py|js|ts|rb|pl|R)$/.test(entry.name) && files.length < MOST_TESTS) {
        const name = relative(folder, path);
        files.push({ path: name, text: readText(folder, name, found) ?? '' });
      }
    }
  };
  if (plainPath(folder, 'tests').kind === 'folder') walk(root);
  return files;
}
