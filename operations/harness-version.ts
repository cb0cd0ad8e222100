import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function harnessVersion(assetsRoot: string): string {
  const manifest = JSON.parse(readFileSync(join(assetsRoot, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
