/**
 * Attempts that `--attempts auto` needs until the order of the models is settled, and equal
 * attempts under the same rule: simulated batches that draw from a leaderboard's attempts.
 *
 *   npm run benchmark:attempts -- <board.json> [--batches 500] [--confidence 0.95]
 *     [--max-attempts 16]
 *
 * <board.json>: output of `bench leaderboard --json` or `benchmark:published --board <file>`.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Leaderboard } from '../domain/views/leaderboard.js';
import { compareAllocations, recordedGains } from './attempt-allocation.js';

const { values, positionals } = parseArgs({
  options: {
    batches: { type: 'string', default: '500' },
    confidence: { type: 'string', default: '0.95' },
    'max-attempts': { type: 'string', default: '16' },
  },
  allowPositionals: true,
});
const [file] = positionals;
if (file === undefined) throw new Error('name the file that holds a leaderboard');
const recorded = recordedGains(JSON.parse(readFileSync(file, 'utf8')) as Leaderboard);
const rules = { confidence: Number(values.confidence), maxAttempts: Number(values['max-attempts']) };
const batches = Number(values.batches);
const rows = compareAllocations(recorded, rules, batches);
const [evenly, auto] = rows;
const saved = 1 - auto!.attempts / evenly!.attempts;
for (const { how, attempts, settled, wrong, bias, biasError } of rows)
  process.stderr.write(
    `${how}: ${attempts.toFixed(0)} attempts, ${settled.toFixed(1)} pairs settled, ${(100 * wrong).toFixed(2)} % of them wrongly; ` +
      `largest mean error of a gain ${bias.toFixed(4)} ± ${biasError.toFixed(4)}\n`,
  );
process.stderr.write(`${(100 * saved).toFixed(0)} % fewer attempts\n`);
const models = recorded[0]?.length ?? 0;
process.stdout.write(
  `${JSON.stringify({ benchmark: 'attempts', ...rules, batches, models, tasks: recorded.length, pairs: (models * (models - 1)) / 2, saved, rows })}\n`,
);
