import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InfrastructureError } from '../../domain/errors.js';
import { CANNOT_UNPACK, type ArchiveRestore, type SandboxRestore } from '../../domain/ports/sandbox-port.js';

export const RESTORE_FILE = 'restore.tar.gz';

/** Puts a snapshot where the supervisor first reads it. False: it has started before. */
export async function stageRestore(control: string, restore: ArchiveRestore): Promise<boolean> {
  if (existsSync(join(control, 'seeded'))) return false;
  const staged = join(control, RESTORE_FILE);
  if (existsSync(staged)) return true;
  const aside = `${staged}-${randomBytes(6).toString('hex')}`;
  try {
    await pipeline(Readable.from(restore.open()), createWriteStream(aside, { mode: 0o600 }));
    await rename(aside, staged);
  } catch (error) {
    await rm(aside, { force: true });
    throw new InfrastructureError(`the snapshot cannot be copied to ${staged}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return true;
}

/** Without kept disks, a sandbox starts only from an archive. Throws InfrastructureError. */
export function requireArchive(restore: SandboxRestore): ArchiveRestore {
  if ('disk' in restore) throw new InfrastructureError(`${CANNOT_UNPACK}: there are no kept disks here`);
  return restore;
}
