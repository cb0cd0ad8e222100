/**
 * Plays the suite mlgym-bench and writes SUITE.md: scripted agents and those of suite/players.ts at
 * all tasks on sample data, with leaderboard, comparison set and seeds; then published runs of the
 * games, replayed by agent mlgym. Human text on stderr.
 *
 *   npm run benchmark:suite -- [--backend local] [--seed 42] [--concurrency 2] [--only scripted]
 *     [--checkout <MLGym>] [--most 8] [--longest 19]
 *
 * checkout: facebookresearch/MLGym with trajectories. most: recordings per game and starter.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseDocument } from 'yaml';
import type { Leaderboard } from '../domain/views/leaderboard.js';
import { loadRecording } from '../catalog/recordings.js';
import { ThrowawayHome } from './throwaway-home.js';
import { type Played, type Replay, suitePage } from './suite/page.js';
import { type Player, PLAYERS } from './suite/players.js';
import { recordedGames } from './suite/recordings.js';

const { values } = parseArgs({
  options: {
    backend: { type: 'string', default: 'docker' },
    seed: { type: 'string', default: '42' },
    concurrency: { type: 'string', default: '2' },
    only: { type: 'string' },
    checkout: { type: 'string' },
    most: { type: 'string', default: '8' },
    longest: { type: 'string', default: '19' },
  },
});
const SUITE = 'mlgym-bench';
/** In the sources: this file runs from dist/benchmarks/. */
const BUNDLED_AGENTS = resolve(import.meta.dirname, '../../configs/agents');
const PAGE = resolve(import.meta.dirname, '../../benchmarks/SUITE.md');
const checkout = values.checkout === undefined ? null : resolve(values.checkout);
const players = PLAYERS.filter(({ name }) => values.only === undefined || values.only.split(',').includes(name));
const run = ['--backend', values.backend, '--concurrency', values.concurrency, '--seed', values.seed, '--wait'];

const home = new ThrowawayHome('suite');
try {
  await home.bench('tasks', 'prepare', '--suite', SUITE, '--sample');
  const batches: Played['batches'][number][] = [];
  for (const player of players) {
    if (player.search !== undefined) writeTreeAgent(player);
    const start = Date.now();
    await home.benchOrUnscored(
      ...['submit', '--name', player.name, '--models', player.models.join(','), '--tasks', SUITE, '--sample'],
      ...['--agent', player.agent, '--attempts', String(player.attempts), '--max-steps', String(player.maxSteps)],
      ...run,
    );
    const minutes = Math.round((Date.now() - start) / 60_000);
    const compared = ['--sample', '--include', values.backend === 'local' ? 'scripted,local' : 'scripted'];
    await home.bench('comparisons', 'save', player.name, '--batch', player.name, ...compared);
    const leaderboard = await home.text('leaderboard', '--view', player.name, '--markdown');
    const board = await home.bench<Leaderboard>('leaderboard', '--view', player.name);
    batches.push({ player, board, leaderboard, minutes });
    // After each part: hours must not be lost with the last.
    writePage(batches, null);
    process.stderr.write(`${player.name}: ${minutes} minutes\n`);
  }
  if (checkout !== null) writePage(batches, await replayed(checkout));
} finally {
  await home.remove();
}

function writeTreeAgent({ agent, search }: Player): void {
  const own = join(home.dir, 'configs/agents');
  mkdirSync(own, { recursive: true });
  const file = parseDocument(readFileSync(join(BUNDLED_AGENTS, 'search-greedy.yaml'), 'utf8'));
  file.set('search', search);
  writeFileSync(join(own, `${agent}.yaml`), String(file));
}

function writePage(batches: Played['batches'], replays: Played['replays']): void {
  const options = shown(process.argv.slice(2)).join(' ');
  const played: Played = {
    command: `npm run benchmark:suite${options === '' ? '' : ` -- ${options}`}`,
    date: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    seed: Number(values.seed),
    backend: values.backend,
    ...{ batches, replays },
  };
  writeFileSync(PAGE, suitePage(played));
}

async function replayed(mlgym: string): Promise<Replay[]> {
  const games = recordedGames(mlgym, home.dir, { longest: Number(values.longest), most: Number(values.most) });
  const names: string[] = [];
  // A recording is named by its path, which must not contain this machine's folders.
  process.chdir(home.dir);
  for (const [i, { task, checkout: own, recordings }] of games.entries()) {
    const configs = join(home.dir, `configs-${i}`);
    await home.bench('tasks', 'import', 'mlgym', own, '--tasks', task, '--into', configs);
    home.env['BENCH_CONFIGS'] = configs;
    const name = `recordings-${i + 1}`;
    const models = recordings.map((file) => `replay:${file}`).join(',');
    await home.benchOrUnscored(
      ...['submit', '--name', name, '--models', models, '--tasks', `mlgym-${task}`, '--agent', 'mlgym'],
      ...['--attempts', '1', '--max-steps', String(Number(values.longest) + 1), ...run],
    );
    names.push(name);
    process.stderr.write(`${name}: ${recordings.length} of ${task}\n`);
  }
  const { rows } = await home.bench<{ rows: [string, string, number, number | null][] }>(
    'sql',
    `select r.model_name, r.task_id, r.step, r.final_score from runs r join batches b using (batch_id)
     where b.name in (${names.map((name) => `'${name}'`).join(', ')}) order by b.name, r.ordinal`,
  );
  return rows.map(([model, task, played, now]): Replay => {
    const file = model.replace(/^replay:/, '');
    const { recording } = loadRecording(file);
    const [recorded = null] = Object.values(recording.scores.at(-1) ?? {});
    return { file, task, steps: recording.steps.length, played, recorded, now };
  });
}

function shown(options: readonly string[]): string[] {
  return options.map((option) => (option.includes('/') ? basename(option) : option));
}
