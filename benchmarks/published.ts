/**
 * What the leaderboard says of MLGym-Bench's published runs. <folder> contains run directories:
 * `trajectories/mlgym_bench_v0` of a checkout of facebookresearch/MLGym. Suspect scores count, as
 * published. The same folder and models give the same figures.
 *
 *   npm run benchmark:published -- <folder> [--models a,b] [--board board.json]
 *
 * --board: also writes the leaderboard there, for benchmark:attempts.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
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
    home.bench<Leaderboard>('leaderboard', '--batch', 'published', ...models, ...options);
  const byChance = await ask('--include', 'suspect');
  const byRank = await ask('--mode', 'compat');
  if (values.board !== undefined) writeFileSync(values.board, JSON.stringify(byChance));
  const asPublished = new Map(byRank.rows.map((row) => [row.model, row]));
  const rows = byChance.rows.map((row) => ({
    model: row.model,
    winRate: round(row.winRate?.best),
    winRate95: between(row.intervals?.bestWinRate),
    group: row.intervals?.group,
    pBest: round(row.intervals?.pBest?.best),
    gain: round(row.gain?.best),
    gain95: between(row.intervals?.bestGain),
    improvedAt1: round(row.curve?.best[0]?.improved),
    gainAt4: round(row.curve?.best[3]?.gain),
    improvedAt4: round(row.curve?.best[3]?.improved),
    aup: round(asPublished.get(row.model)?.bestAup),
    averageRank: round(asPublished.get(row.model)?.averageRank),
  }));
  const orders = [byChance, byRank].map(({ comparison, rows: ordered }) => ({
    order: comparison.order,
    pairs: comparison.separation?.pairs,
    resolved: comparison.separation?.resolved,
    first: ordered[0]?.model,
    pBest: round(ordered[0]?.intervals?.pBest?.best),
    rows: ordered.map(({ model }) => model).join(', '),
  }));
  const tasks = byChance.tasks.map(({ task, primary, baseline, standardError, target }) => ({
    ...{ task, primary, baseline, standardError, target },
  }));
  for (const { model, winRate, gain, group } of rows)
    process.stderr.write(`${model}: win rate ${winRate}, gain ${gain}, group ${group}\n`);
  for (const { order, resolved, pairs } of orders)
    process.stderr.write(`by ${order}: ${resolved} of ${pairs} pairs resolved\n`);
  const runs = byChance.rows.reduce((sum, { attempts }) => sum + attempts, 0);
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'published', runs, T: byRank.comparison.T, rows, orders, tasks })}\n`,
  );
} finally {
  await home.remove();
}
