// npm run db:generate: drizzle-kit writes what differs between db/schema and the last migration; foreign keys are folded in.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foldForeignKeys } from './fold-foreign-keys.mjs';

const { status } = spawnSync('drizzle-kit', ['generate', ...process.argv.slice(2)], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const FOLDER = 'db/migrations';
// The newest alone: databases hold the hashes of those of before.
const newest = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .at(-1);
if (newest !== undefined) {
  const path = join(FOLDER, newest);
  writeFileSync(path, foldForeignKeys(readFileSync(path, 'utf8')));
}
