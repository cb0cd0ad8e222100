import { ensureBuilt } from './built-dist.js';
import { ensureDockerEngine } from './docker-engine.js';
import { ensurePodmanEngine } from './podman-engine.js';
import { findTemporalForTests } from './find-temporal.js';

const STEERING = [
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'BENCH_HOME',
  'BENCH_WORKER',
  'BENCH_CONFIGS',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
];

/** Vitest calls this once per project: the machine has what integration and chaos tests need, or this says what it lacks. */
export async function setup(): Promise<void> {
  // Nothing of a developer's own environment may steer the tests to other services.
  for (const name of STEERING) {
    Reflect.deleteProperty(process.env, name);
  }
  const say = (line: string) => process.stderr.write(`test set-up: ${line}\n`);
  ensureBuilt(say);
  await ensureDockerEngine(say);
  await ensurePodmanEngine(say);
  await findTemporalForTests();
}
