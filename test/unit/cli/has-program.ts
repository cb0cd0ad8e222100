import { spawnSync } from 'node:child_process';

/** Says so where a program is missing that tests need. */
export function hasProgram(name: string): boolean {
  const found = spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
  if (!found) console.warn(`completion in ${name} is NOT TESTED: it is not installed`);
  return found;
}
