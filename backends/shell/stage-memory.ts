import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';

/** Its name in the control directory. */
export const MEMORY_FILE = 'memory.json';

/** Its content: the task's records, oldest first. */
export const memoryFile = (memory: readonly string[]): string =>
  JSON.stringify({ records: memory.map((text) => ({ text })) });

/**
 * Put the task's memory where the supervisor reads it at its first start (images/agent/durable_shell/memory_records.py). An empty
 * file still allows writing; without the file the run has no memory. An existing file is kept.
 */
export async function stageMemory(control: string, memory: readonly string[] | undefined): Promise<void> {
  const staged = join(control, MEMORY_FILE);
  if (memory === undefined || existsSync(staged)) return;
  const aside = `${staged}-${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(aside, memoryFile(memory), { mode: 0o600 });
    await rename(aside, staged);
  } catch (error) {
    await rm(aside, { force: true });
    throw new InfrastructureError(`the task's memory cannot be written to ${staged}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
