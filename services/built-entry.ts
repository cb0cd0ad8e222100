import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../domain/errors.js';

/** The compiled entry of one of our processes; from sources (tests), the one in dist/. */
export function builtEntry(name: 'supervisor-main' | 'temporal-relay-main'): string {
  const candidates = [`../services/${name}.js`, `../dist/services/${name}.js`];
  const found = candidates
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found === undefined) throw new BenchError('services', 'bench is not built', { remedy: 'run `npm run build`' });
  return found;
}
