import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { BenchError } from '../domain/errors.js';

/** Earlier versions wrote neither hash nor folder. */
export const buildSchema = z.object({
  version: z.string(),
  hash: z.string().default(''),
  folder: z.string().default(''),
});
/** What is installed where; `hash` is of its content, since a copy has other times. */
export type Build = z.infer<typeof buildSchema>;

/** `entry`: a compiled program, in a folder of `dist/` next to package.json. */
export function buildOf(entry: string): Build {
  const dist = join(dirname(entry), '..');
  const folder = join(dist, '..');
  return {
    ...{ version: textIn(join(folder, 'package.json'), 'version'), hash: textIn(join(dist, 'build.json'), 'hash') },
    folder: realpathSync(folder),
  };
}

const textIn = (path: string, key: string): string =>
  existsSync(path) ? ((JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>)[key] ?? '') : '';

/** Another install on the same home; one that was rebuilt or updated in place is none. */
export const isElsewhere = (ours: Build, theirs: Build): boolean =>
  theirs.folder !== '' && theirs.folder !== ours.folder;

/** The newer version keeps the services; otherwise two versions would restart them in turn. */
export function refuseOlder(home: string, ours: Build, theirs: Build): void {
  if (ours.version.localeCompare(theirs.version, 'en', { numeric: true }) >= 0) return;
  throw new BenchError(
    'usage',
    `the services of ${home} run a newer version of bench (${theirs.version}) than this one (${ours.version})`,
    { code: 'home.in_use', remedy: 'Use the newer version, or run `bench down` first to switch back to this one.' },
  );
}
