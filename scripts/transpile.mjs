// Each source file becomes a file of dist/, its types taken off. esbuild needs a second for what takes tsc twenty; whether the
// types are right is the question of `npm run typecheck`. tsconfig.build.json says which folders.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const { include } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8'));
const sources = include.flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
for (const folder of include) {
  const kept = new Set(sources.map((name) => join('dist', name).replace(/\.ts$/, '.js')));
  let built;
  try {
    built = readdirSync(join('dist', folder), { recursive: true });
  } catch {
    continue;
  }
  // What was compiled of a source that is no more would still be found by an import.
  for (const name of built)
    if (name.endsWith('.js') && !kept.has(join('dist', folder, name))) rmSync(join('dist', folder, name));
}
await build({
  entryPoints: sources,
  outbase: '.',
  outdir: 'dist',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
});
