import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../../../..');
const IMPORTS = /(?:import|export)\s[^'";]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;

/** The modules that a file imports, directly or not, types and imports on first use included. */
function reach(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const [, fixed, onUse] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORTS)) {
    const imported = join(dirname(file), (fixed ?? onUse ?? '').replace(/\.js$/, '.ts'));
    if (existsSync(join(ROOT, imported))) reach(imported, reached);
  }
  return reached;
}

it('submitting a batch reaches the ports that it uses, not the whole program', () => {
  const reached = [...reach('operations/batches/submit-batch.ts')];
  expect(reached.length).toBeLessThan(200);
  expect(reached.filter((file) => /^(db|services)\/|^operations\/(open-)?bench\.ts/.test(file))).toEqual([]);
});
