import { readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';

/** A link, whose target is the step: it is there whole or not at all, and the first one stays. It is never followed. */
const BEGUN_AFTER = 'begun-after';

/** After which step the sandbox of this control directory was to begin when it was first started; null: there is none. */
export async function begunAfter(control: string): Promise<number | null> {
  try {
    return Number(await readlink(join(control, BEGUN_AFTER)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** To be called before anything is put there. Throws InfrastructureError if another start was faster, and gives it something else. */
export async function recordBeginStep(control: string, step: number): Promise<void> {
  try {
    await symlink(String(step), join(control, BEGUN_AFTER));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const first = await begunAfter(control);
    if (first !== step) throw new InfrastructureError(`its sandbox begins after step ${first}, not after step ${step}`);
  }
}
