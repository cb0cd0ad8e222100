import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { InfrastructureError } from '../../domain/errors.js';
import { CANNOT_UNPACK, type ArchiveRestore, type SandboxRestore } from '../../domain/ports/sandbox-port.js';

/** Its name in the control directory. */
export const RESTORE_FILE = 'restore.tar.gz';

/** Put a snapshot where the sandbox's supervisor finds it at its first start. False: it has started before. */
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

/** Where no disks are kept, an archive is all that a sandbox can start from. Throws InfrastructureError. */
export function requireArchive(restore: SandboxRestore): ArchiveRestore {
  if ('disk' in restore) throw new InfrastructureError(`${CANNOT_UNPACK}: there are no kept disks here`);
  return restore;
}
