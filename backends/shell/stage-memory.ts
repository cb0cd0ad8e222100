import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';

export const MEMORY_FILE = 'memory.json';

/** The task's records, oldest first. */
export const memoryFile = (memory: readonly string[]): string =>
  JSON.stringify({ records: memory.map((text) => ({ text })) });

/** An empty file still allows writing; without it the run has no memory. Keeps an existing file. */
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
