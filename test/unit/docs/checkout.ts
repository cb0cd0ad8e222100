import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');
const ELSEWHERE = new Set(['node_modules', 'dist']);

/** Paths of the checkout's files, relative to its root; none installed, built or hidden. */
export function checkoutFiles(folder = '.'): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && !ELSEWHERE.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? checkoutFiles(path) : entry.isFile() ? [path] : [];
    });
}

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A page's text without code: fenced blocks and code spans become blank. */
export const withoutCode = (text: string): string =>
  text.replace(/^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2$/gm, '').replace(/(`+)[^`][\s\S]*?\1/g, '');
