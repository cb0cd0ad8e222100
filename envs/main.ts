import { BenchError } from '../domain/errors.js';
import { type EnvServe, envServeSchema } from '../domain/requests/env-serve.js';
import type { EnvironmentDocument } from '../domain/views/environments.js';
import {
  REWARD_PRESETS,
  type RewardMode,
  type RewardPreset,
  type RewardRequest,
  rewardRequest,
} from '../domain/requests/reward.js';
import { asBenchError } from '../operations/as-bench-error.js';
import { openEnvironment } from '../operations/episodes/environment.js';
import { openProgress } from '../operations/episodes/progress.js';
import { sweepEpisodes } from '../operations/episodes/sweep.js';
import { openBench } from '../operations/library.js';
import { createDoor } from './door.js';

/** The composition root of the training doors: `bench env serve` starts it, with its options as JSON on its command line. */

const SWEEP_MS = 2_000;

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

function refuseOpenDoor({ host, backend, allowLocal }: EnvServe, token: string | null): void {
  if (token === null && !LOOPBACK.includes(host))
    throw new BenchError('usage', `${host} can be reached from other machines, and no token is set`, {
      remedy: 'Set BENCH_ENV_TOKEN to a secret that trainers send, or listen at 127.0.0.1.',
    });
  if (backend === 'local' && !allowLocal)
    throw new BenchError('usage', 'the local backend isolates nothing: a policy could read what scores it', {
      remedy: 'Serve docker or podman, or allow it for trying things out.',
      fields: { allowLocal: true },
    });
}

/** A mode's own, or a preset's: no name is both. */
function rewardNamed(name: EnvServe['reward']): RewardRequest {
  return rewardRequest(name in REWARD_PRESETS ? { preset: name as RewardPreset } : { mode: name as RewardMode });
}

async function serve(): Promise<void> {
  const options = envServeSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
  const token = process.env['BENCH_ENV_TOKEN'] ?? null;
  refuseOpenDoor(options, token);
  const bench = openBench({
    notify: (notice) => {
      if (notice.code === 'progress') process.stderr.write(`${notice.line}\n`);
    },
  });
  const { tasks, name, backend, agent, maxSteps, capacity, idle, sample, snapshotEvery, reward } = options;
  const env = await openEnvironment(bench, {
    ...{ tasks, name, backend, agent, maxSteps, capacity, sample, snapshotEvery },
    idleSeconds: idle,
    reward: rewardNamed(reward),
  });
  const progress = await openProgress(bench);
  const app = createDoor({ env, progress, token, graceSeconds: options.grace });
  const address = await app.listen({ host: options.host, port: options.port });
  const { batchId } = env;
  const listening = { url: address, batchId, name, tasks: [...env.tasks], capacity, pid: process.pid };
  process.stdout.write(`${JSON.stringify(listening satisfies EnvironmentDocument)}\n`);
  let sweeping = false;
  const sweep = setInterval(() => {
    if (sweeping) return;
    sweeping = true;
    void sweepEpisodes(bench)
      .catch((error: unknown) => process.stderr.write(`${asBenchError(error).message}\n`))
      .finally(() => (sweeping = false));
  }, SWEEP_MS);
  const stop = async (): Promise<void> => {
    clearInterval(sweep);
    await app.close();
    await progress.close();
    await bench.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().then(() => process.exit(0)));
}

serve().catch((thrown: unknown) => {
  const error = asBenchError(thrown);
  process.stderr.write(`error: ${error.message}\n${error.remedy === undefined ? '' : `${error.remedy}\n`}`);
  process.exit(error.exitCode);
});
