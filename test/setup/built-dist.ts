import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.build.json'), 'utf8')) as { include: string[] };
export const SOURCES: readonly string[] = [...include, 'web/client', 'scripts'];
const ENTRY = join(ROOT, 'dist/cli/main.js');

/** Builds the program for tests with real processes if it is missing or older than its sources. */
export function ensureBuilt(say: (line: string) => void): void {
  const built = existsSync(ENTRY) ? statSync(ENTRY).mtimeMs : 0;
  const newest = Math.max(...SOURCES.map((room) => newestUnder(join(ROOT, room))));
  if (built >= newest) return;
  say(built === 0 ? 'dist/ is missing: npm run build' : 'dist/ is older than the sources: npm run build');
  const result = spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if (result.status !== 0) throw new Error('npm run build failed: the tests need dist/');
}

function newestUnder(path: string): number {
  if (!existsSync(path)) return 0;
  const stats = statSync(path);
  if (!stats.isDirectory()) return /\.(tsx?|[cm]js|sql|css|html)$/.test(path) ? stats.mtimeMs : 0;
  return Math.max(0, ...readdirSync(path).map((name) => newestUnder(join(path, name))));
}
