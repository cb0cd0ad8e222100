import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export function treeAgent(agents: string, search: string): string {
  const greedy = readFileSync(join(agents, 'search-greedy.yaml'), 'utf8');
  const replaced = greedy.replace(/^search:\n(?: .*\n)+/m, `search: ${search}\n`);
  if (replaced === greedy) throw new Error('search-greedy.yaml has no search block of its own');
  return replaced;
}
