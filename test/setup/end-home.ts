import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connectEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { HOME_LABEL } from '../../backends/docker/labels.js';
import { homeLayout } from '../../domain/home/layout.js';
import { homeTag } from '../../operations/home/home-identity.js';
import {
  commandLine,
  findProcesses,
  isAlive,
  type ProcessIdentity,
  signal,
  waitUntilGone,
  workingDirectory,
} from '../../services/process-identity.js';
import { readServicesFile } from '../../services/services-file.js';

const GONE_MS = 60_000;

/**
 * `bench down` would also hand work over. Runs of backend `local` outlive the services and would
 * write into the removed folder.
 */
export async function endHome(dir: string, env: Readonly<Record<string, string>>): Promise<void> {
  const read = () => readServicesFile(join(dir, 'services.json'));
  // Supervisor and guardian restart each other.
  for (let file = read(); isAlive(file?.supervisor) || isAlive(file?.supervisor?.guardian); file = read())
    await end([file?.supervisor?.guardian, file?.supervisor]);
  const { worker, temporal, postgres } = read()?.services ?? {};
  // Only PostgreSQL itself frees the memory that it shares with its processes.
  signal(postgres?.process, 'SIGQUIT');
  await end([worker?.process, temporal?.process]);
  if (postgres?.process) await waitUntilGone(postgres.process, GONE_MS);
  const inside = (path: string | null): boolean => path === dir || path?.startsWith(`${dir}/`) === true;
  const ours = (pid: number): boolean => inside(workingDirectory(pid)) || commandLine(pid).some(inside);
  for (let left = findProcesses(ours); left.length > 0; left = findProcesses(ours)) await end(left);
  if (existsSync(dir)) await removeContainers(homeTag(homeLayout(dir)), { ...process.env, ...env });
}

async function removeContainers(tag: string, env: NodeJS.ProcessEnv): Promise<void> {
  const backends = env['BENCH_PODMAN_HOST'] === undefined ? (['docker'] as const) : (['docker', 'podman'] as const);
  for (const backend of backends) {
    const engine = connectEngine(engineAddress(backend, env));
    const filters = { label: [`${HOME_LABEL}=${tag}`] };
    // Not every test has an engine that answers.
    const left = await engine.listContainers({ all: true, filters }).catch(() => []);
    await Promise.all(
      left.map(({ Id }) =>
        engine
          .getContainer(Id)
          .remove({ force: true, v: true })
          .catch(() => undefined),
      ),
    );
  }
}

async function end(processes: (ProcessIdentity | null | undefined)[]): Promise<void> {
  const hit = processes.filter((one): one is ProcessIdentity => signal(one, 'SIGKILL'));
  await Promise.all(hit.map((one) => waitUntilGone(one, GONE_MS)));
}
