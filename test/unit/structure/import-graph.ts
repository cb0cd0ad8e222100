import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { read, ROOT } from '../docs/checkout.js';

const IMPORT = /(?:import|export)\s[^'";]*?from\s+'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;

/** Modules that a module imports, types and lazy imports included; paths relative to the root. */
function importsOf(file: string): string[] {
  return [...read(file).matchAll(IMPORT)].flatMap(([, fixed, lazy]) => {
    const path = normalize(join(dirname(file), (fixed ?? lazy)!)).replace(/\.js$/, '');
    return ['.ts', '.tsx'].map((ending) => path + ending).filter((found) => existsSync(join(ROOT, found)));
  });
}

/** All modules that have to be read to know what a module may touch, itself included. */
export function reachOf(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const imported of importsOf(file)) reachOf(imported, reached);
  return reached;
}
