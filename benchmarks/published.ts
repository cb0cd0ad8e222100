/**
 * What the leaderboard says of MLGym-Bench's published runs. <folder> contains run directories:
 * `trajectories/mlgym_bench_v0` of a checkout of facebookresearch/MLGym. Suspect scores count, as
 * published. The same folder, models and seed give the same figures.
 *
 *   npm run benchmark:published -- <folder> [--models a,b] [--board board.json]
 *
 * --board: also writes the leaderboard there, for benchmark:attempts.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { LEADERBOARD_ORDERS } from '../domain/requests/comparison.js';
import type { Leaderboard } from '../domain/views/leaderboard.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values, positionals } = parseArgs({
  options: { models: { type: 'string' }, board: { type: 'string' } },
  allowPositionals: true,
});
const [folder] = positionals;
if (folder === undefined) throw new Error('name the folder of run directories');

const round = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 1000) / 1000;
const between = (interval: { low: number; high: number } | null | undefined): string =>
  interval == null ? '–' : `${interval.low.toFixed(3)} to ${interval.high.toFixed(3)}`;

const home = new ThrowawayHome('published');
try {
  await home.bench('import', 'mlgym', folder, '--batch', 'published');
  const models = values.models === undefined ? [] : ['--models', values.models];
  const ask = (...options: string[]) =>
    home.bench<Leaderboard>('leaderboard', '--batch', 'published', '--mode', 'compat', ...models, ...options);
  const boards = [];
  for (const order of LEADERBOARD_ORDERS) boards.push(await ask('--order', order));
  const [byChance] = boards;
  if (values.board !== undefined) writeFileSync(values.board, JSON.stringify(byChance));
  const rows = byChance!.rows.map((row) => ({
    model: row.model,
    winRate: round(row.winRate?.best),
    winRate95: between(row.intervals?.tasks.bestWinRate),
    group: row.intervals?.tasks.group,
    pBest: round(row.intervals?.tasks.pBest?.best),
    gain: round(row.gain?.best),
    gain95: between(row.intervals?.tasks.bestGain),
    improvedAt1: round(row.curve?.best[0]?.improved),
    gainAt4: round(row.curve?.best[3]?.gain),
    improvedAt4: round(row.curve?.best[3]?.improved),
    aup: round(row.bestAup),
    averageRank: round(row.averageRank),
  }));
  const orders = boards.map(({ comparison, rows: ordered }) => ({
    order: comparison.order,
    pairs: comparison.separation?.tasks?.pairs,
    resolvedOverTasks: comparison.separation?.tasks?.resolved,
    resolvedOverAttempts: comparison.separation?.attempts?.resolved,
    first: ordered[0]?.model,
    pBest: round(ordered[0]?.intervals?.tasks.pBest?.best),
    rows: ordered.map(({ model }) => model).join(', '),
  }));
  const tasks = byChance!.tasks.map(({ task, primary, baseline, standardError, target }) => ({
    ...{ task, primary, baseline, standardError, target },
  }));
  for (const { model, winRate, gain, group } of rows)
    process.stderr.write(`${model}: win rate ${winRate}, gain ${gain}, group ${group}\n`);
  for (const { order, resolvedOverTasks, pairs } of orders)
    process.stderr.write(`by ${order}: ${resolvedOverTasks} of ${pairs} pairs resolved\n`);
  const runs = byChance!.rows.reduce((sum, { attempts }) => sum + attempts, 0);
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'published', runs, T: byChance!.comparison.T, seed: byChance!.comparison.seed, resamples: byChance!.comparison.resamples, rows, orders, tasks })}\n`,
  );
} finally {
  await home.remove();
}
