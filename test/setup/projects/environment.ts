import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** A developer's own environment must not point the tests at other services. */
export function clearEnvironment(): void {
  for (const name of STEERING) Reflect.deleteProperty(process.env, name);
}

export const say = (line: string): void => void process.stderr.write(`test set-up: ${line}\n`);

/** Test processes are killed, so the set-up that made the shared folder removes it. */
export function makeScratch(): { scratch: string; remove: () => void } {
  const there = process.env['BENCH_TEST_SCRATCH'];
  if (there !== undefined) return { scratch: there, remove: () => undefined };
  const scratch = mkdtempSync(join(tmpdir(), 'bench-test-scratch-'));
  process.env['BENCH_TEST_SCRATCH'] = scratch;
  return { scratch, remove: () => rmSync(scratch, { recursive: true, force: true }) };
}
