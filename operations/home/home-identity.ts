import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HomeLayout } from '../../domain/home/layout.js';
import { makeFolder } from '../../services/make-folder.js';

/** In container names and labels: two homes on one engine do not touch each other's containers. */
export const homeTag = (layout: HomeLayout): string =>
  createHash('sha256').update(realpathSync(layout.home)).digest('hex').slice(0, 8);

/** The key of a home of an earlier version, which the database adopts; null: none. */
export const formerSecret = (layout: HomeLayout): string | null =>
  existsSync(layout.secretFile) ? readFileSync(layout.secretFile, 'utf8').trim() : null;

/** Stable over restarts, since containers outlive workers. */
export const homeHostId = (layout: HomeLayout, hostname: string): string =>
  readOrCreate(layout.hostIdFile, () => `${hostname.split('.')[0] ?? 'host'}-${randomBytes(3).toString('hex')}`);

/** The read-only database login, made at first use and readable by the owner alone. */
export function readerLogin(layout: HomeLayout): { name: string; password: string } {
  const text = readOrCreate(
    layout.readerLogin,
    () => `bench_reader_${randomBytes(4).toString('hex')} ${randomBytes(24).toString('base64url')}`,
  );
  const [name = '', password = ''] = text.split(' ');
  return { name, password };
}

/** The token of `bench env serve`, stable over restarts: clients keep their address. */
export const environmentToken = (layout: HomeLayout): string =>
  readOrCreate(layout.environmentToken, () => randomBytes(24).toString('base64url'));

/** Writes aside and links into place: of two processes one wins, and both read the same. */
function readOrCreate(path: string, make: () => string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  makeFolder(dirname(path), 0o700);
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${make()}\n`, { mode: 0o600 });
  try {
    linkSync(aside, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  return readFileSync(path, 'utf8').trim();
}
