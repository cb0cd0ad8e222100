import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { probeEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { commandLine, findProcesses } from '../../services/process-identity.js';
import { installPackages, noPackages, onPath } from './packages.js';

const PACKAGES = ['docker.io', 'iptables'];
const START_LIMIT_MS = 180_000;

/** No test without an engine is skipped. As root on Debian, installs and starts a missing one. */
export async function ensureDockerEngine(say: (line: string) => void): Promise<void> {
  const dockerHost = process.env['DOCKER_HOST'];
  const probe = await probeEngine(engineAddress('docker', process.env));
  if (probe.kind === 'ok') {
    await ensurePrograms(say);
    return;
  }
  const refuse = (why: string): never => {
    const text =
      `the tests need a container engine, and ${probe.reason}. ${why} To get one: ${probe.remedy}. ` +
      `Tests without an engine: npm run test:unit`;
    // Vitest cannot print what a set-up throws (vite's module runner, source maps of the stack).
    say(text);
    throw new Error(text);
  };
  if (dockerHost !== undefined && dockerHost !== '') refuse('DOCKER_HOST is set, so none is started here.');
  if (process.getuid?.() !== 0) refuse('Not being root, this set-up cannot install or start one.');
  if (dockerdProcess() === null && onPath('dockerd') === null) {
    if (onPath('apt-get') === null) refuse('This is no Debian, so none is installed here.');
    await installPackages(PACKAGES, say);
  }
  // Also where the package's own scripts have just started one.
  const running = dockerdProcess();
  if (running !== null) {
    say(`dockerd is running as process ${running}, but does not answer yet; waiting for it`);
    if (!(await answers())) refuse('A second one would break its network.');
    await ensurePrograms(say);
    return;
  }
  const log = join(mkdtempSync(join(tmpdir(), 'bench-dockerd-')), 'dockerd.log');
  say(`STARTING dockerd, as root, in the background; it stays after the tests. Its log: ${log}`);
  const output = openSync(log, 'a');
  const child = spawn(onPath('dockerd') ?? 'dockerd', [], {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: '/',
  });
  child.on('error', (error) => say(`dockerd: ${error.message}`));
  child.unref();
  if (!(await answers())) {
    throw new Error(`dockerd was started, but does not answer. The end of ${log}:\n${tail(log)}`);
  }
  say('the container engine answers');
  await ensurePrograms(say);
}

/** Offline, agent images are built on a debootstrap base; compose reads our file. */
async function ensurePrograms(say: (line: string) => void): Promise<void> {
  const missing = ['debootstrap', 'docker-compose'].filter((program) => onPath(program) === null);
  const hasPlugin = () => spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0;
  const needed = missing.filter((program) => program !== 'docker-compose' || !hasPlugin());
  // Without these rights the tests that need one fail, and say what they lack.
  if (needed.length === 0 || noPackages() !== null) return;
  await installPackages(needed, say);
}

function dockerdProcess(): number | null {
  const isDockerd = (pid: number) => basename(commandLine(pid)[0] ?? '') === 'dockerd';
  return findProcesses(isDockerd)[0]?.pid ?? null;
}

async function answers(): Promise<boolean> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (Date.now() < deadline) {
    if ((await probeEngine()).kind === 'ok') return true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return false;
}

export function tail(log: string): string {
  return readFileSync(log, 'utf8').trim().split('\n').slice(-15).join('\n');
}
