import { type EnvServe, envServeSchema, servedTasks } from '../domain/requests/env-serve.js';
import type { ServerLine } from './front/server-line.js';
import {
  REWARD_PRESETS,
  type RewardMode,
  type RewardPreset,
  type RewardRequest,
  rewardRequest,
} from '../domain/requests/reward.js';
import { episodeOptions } from '../domain/requests/run-options.js';
import { asBenchError } from '../operations/as-bench-error.js';
import { openEnvironment } from '../operations/episodes/open-environment.js';
import { openProgress } from '../operations/episodes/progress.js';
import { sweepEpisodes } from '../operations/episodes/sweep.js';
import { openHome } from '../operations/library.js';
import { createEnvServer } from './server.js';
import { refuseOpenServer } from './refuse-open-server.js';
import { tokenIn } from './token.js';

/** The training server. The front (front-main.ts) restarts it; it ends with its stdin. */

const SWEEP_MS = 2_000;

/** A mode or a preset: their names are distinct. */
function rewardNamed(name: EnvServe['reward']): RewardRequest {
  return rewardRequest(name in REWARD_PRESETS ? { preset: name as RewardPreset } : { mode: name as RewardMode });
}

async function serve(): Promise<void> {
  // Without the front, no client reaches this server.
  process.stdin.resume().once('end', () => process.exit(0));
  const options = envServeSchema.parse(JSON.parse(process.argv[2] ?? '{}'));
  const token = tokenIn(process.env);
  // The worker, and what plays on it, must not inherit the token.
  delete process.env['BENCH_ENV_TOKEN'];
  refuseOpenServer(options, token);
  const bench = openHome({
    notify: (notice) => {
      if (notice.code === 'progress') process.stderr.write(`${notice.line}\n`);
    },
  });
  const { tasks, splits } = servedTasks(options);
  const { name, backend, agent, maxSteps, maxValidations, capacity, idle, reward } = options;
  const env = await openEnvironment(bench, {
    tasks,
    splits,
    name,
    backend,
    agent,
    maxSteps,
    maxValidations,
    capacity,
    ...episodeOptions(options),
    idleSeconds: idle,
    reward: rewardNamed(reward),
  });
  const progress = await openProgress(bench);
  const { grace: graceSeconds, fullWait: fullWaitSeconds } = options;
  const server = createEnvServer({ bench, env, progress, token, graceSeconds, fullWaitSeconds });
  await server.listen(process.argv[3] ?? '');
  const { batchId } = env;
  const listening = { batchId, name, tasks: [...env.tasks], capacity };
  process.stdout.write(`${JSON.stringify(listening satisfies ServerLine)}\n`);
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
    await server.close();
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
