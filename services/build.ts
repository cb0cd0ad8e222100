import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { BenchError } from '../domain/errors.js';

export const buildSchema = z.object({ version: z.string(), builtAt: z.number() });
/** Decides which of two builds with the same schema is newer. */
export type Build = z.infer<typeof buildSchema>;

/** `entry`: a compiled program, in a folder of `dist/` next to package.json. */
export function buildOf(entry: string): Build {
  const manifest = join(dirname(entry), '..', '..', 'package.json');
  const { version = '0' } = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string })
    : {};
  return { version, builtAt: Math.round(statSync(entry).mtimeMs) };
}

/** The newer build keeps the services; otherwise two builds would restart them in turn. */
export function refuseOlder(home: string, ours: Build, theirs: Build): void {
  if (compare(ours, theirs) >= 0) return;
  throw new BenchError(
    'usage',
    `the services of ${home} run a newer build of bench (${buildName(theirs)}) than this one (${buildName(ours)})`,
    { code: 'home.in_use', remedy: 'Use the newer build, or run `bench down` first to switch back to this one.' },
  );
}

const compare = (a: Build, b: Build): number =>
  a.version.localeCompare(b.version, 'en', { numeric: true }) || a.builtAt - b.builtAt;

const buildName = ({ version, builtAt }: Build): string =>
  `${version} of ${new Date(builtAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
