import { readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';

/** A link whose target is the step: links appear atomically and the first stays. Never followed. */
const BEGUN_AFTER = 'begun-after';

/** The step after which the first start began; null: there was no start. */
export async function begunAfter(control: string): Promise<number | null> {
  try {
    return Number(await readlink(join(control, BEGUN_AFTER)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Call before filling it. Throws InfrastructureError if another start chose another step. */
export async function recordBeginStep(control: string, step: number): Promise<void> {
  try {
    await symlink(String(step), join(control, BEGUN_AFTER));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const first = await begunAfter(control);
    if (first !== step) throw new InfrastructureError(`its sandbox begins after step ${first}, not after step ${step}`);
  }
}
