import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InfrastructureError } from '../../domain/errors.js';

/** Has a supervisor filled the workspace of this control directory? */
export const hasStarted = (control: string): boolean => existsSync(join(control, 'seeded'));

/**
 * Puts the starter files where a container's supervisor first reads them (starter.py). Only the
 * supervisor fills the workspace, so a second start keeps the agent's work. False: it has started
 * before.
 */
export async function stageStarter(control: string, starterDir: string): Promise<boolean> {
  if (hasStarted(control)) return false;
  const staged = join(control, 'starter');
  if (existsSync(staged)) return true;
  const aside = `${staged}-${randomBytes(6).toString('hex')}`;
  try {
    await cp(starterDir, aside, { recursive: true, verbatimSymlinks: true });
    await rename(aside, staged);
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // Another process was faster.
    if (existsSync(staged) || hasStarted(control)) return true;
    throw new InfrastructureError(`the starter files of ${starterDir} cannot be copied: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return true;
}
