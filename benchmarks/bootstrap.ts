// Time of a large leaderboard's intervals: npm run benchmark:bootstrap
import { performance } from 'node:perf_hooks';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { type ComparedGains, resampledWinRates } from '../domain/statistics/headlines.js';
import { resampledPositions } from '../domain/statistics/resampled-positions.js';
import { quantile } from '../domain/statistics/quantile.js';

const [MODELS, TASKS, ATTEMPTS, RESAMPLES, TIMES] = [100, 20, 4, 1000, 5];
const generator = xoroshiro128plus(1);
const uniform = () => (generator.next() >>> 0) / 0x1_0000_0000;

const tasks: ComparedGains = Array.from({ length: TASKS }, (_, t) => ({
  direction: t % 2 === 0 ? 'maximize' : 'minimize',
  ...{ baseline: t % 2 === 0 ? 0.5 : 2, standardError: 0, target: t % 2 === 0 ? 2.2 : 0.4 },
  cells: Array.from({ length: MODELS }, () => {
    const best = Array.from({ length: ATTEMPTS }, () => 0.4 + 1.8 * uniform());
    return { best, last: best.map((score) => score * (0.9 + 0.1 * uniform())), ran: true };
  }),
}));

const RESAMPLED = { 'win-rate': resampledWinRates, rank: resampledPositions };
const milliseconds = (['win-rate', 'rank'] as const).map((order) => {
  const times = Array.from({ length: TIMES }, () => {
    const start = performance.now();
    RESAMPLED[order](tasks, { resamples: RESAMPLES, seed: 1 });
    return performance.now() - start;
  });
  return { order, median: quantile(times, 0.5), slowest: Math.max(...times) };
});
process.stderr.write(
  `Resamples of what orders a leaderboard, ${MODELS} models x ${TASKS} tasks x ${ATTEMPTS} attempts, ${RESAMPLES} resamples:\n` +
    milliseconds
      .map(
        ({ order, median, slowest }) =>
          `  ${order}: median ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms\n`,
      )
      .join(''),
);
process.stdout.write(
  `${JSON.stringify({ models: MODELS, tasks: TASKS, attempts: ATTEMPTS, resamples: RESAMPLES, milliseconds }, null, 2)}\n`,
);
