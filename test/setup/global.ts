import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt } from './built-dist.js';
import { ensureDockerEngine } from './docker-engine.js';
import { ensurePodmanEngine } from './podman-engine.js';
import { findTemporalForTests } from './find-temporal.js';
import { ensureTestImages } from './test-images.js';

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

/**
 * Vitest calls this once per project: the machine has what integration and chaos tests need, or this says what it lacks. What it
 * returns is called at the end.
 */
export async function setup(): Promise<() => void> {
  // Nothing of a developer's own environment may steer the tests to other services.
  for (const name of STEERING) {
    Reflect.deleteProperty(process.env, name);
  }
  const say = (line: string) => process.stderr.write(`test set-up: ${line}\n`);
  ensureBuilt(say);
  await ensureDockerEngine(say);
  await ensurePodmanEngine(say);
  await ensureTestImages(say);
  await findTemporalForTests();
  // Test processes are ended without a word, so what they share is removed here.
  const scratch = mkdtempSync(join(tmpdir(), 'bench-test-scratch-'));
  process.env['BENCH_TEST_SCRATCH'] = scratch;
  return () => rmSync(scratch, { recursive: true, force: true });
}
