import { cpSync, readdirSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GAMES = /^GAMES = 10_000$/m;

/** Copies a configuration with fewer games per evaluation, which dominates short runs. */
export function lightConfigs(configs: string, into: string, games: number): string {
  cpSync(configs, into, { recursive: true });
  let found = 0;
  for (const task of readdirSync(join(into, 'tasks'))) {
    const referee = join(into, 'tasks', task, 'evaluator/referee.py');
    if (!existsSync(referee)) continue;
    const text = readFileSync(referee, 'utf8');
    if (!GAMES.test(text)) continue;
    writeFileSync(referee, text.replace(GAMES, `GAMES = ${games}`));
    found += 1;
  }
  if (found === 0) throw new Error(`no referee below ${configs} says that it plays 10_000 games`);
  return into;
}
