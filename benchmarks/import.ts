/**
 * Steps per second and peak memory of `bench import mlgym` on invented run directories, of a
 * repeated import, and of a directory with a long first observation.
 *
 *   npm run benchmark:import -- [--runs 200] [--steps 50] [--observation 2000] [--long-mb 50]
 *
 * observation: characters of each step's.
 */
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { execa } from 'execa';
import { peakMemoryMb } from './process-memory.js';
import { ThrowawayHome } from './throwaway-home.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200' },
    steps: { type: 'string', default: '50' },
    observation: { type: 'string', default: '2000' },
    'long-mb': { type: 'string', default: '50' },
  },
});
const [runs, steps, observation, longMb] = [values.runs, values.steps, values.observation, values['long-mb']].map(
  Number,
) as [number, number, number, number];

const MAIN = resolve(import.meta.dirname, '../cli/main.js');
const LINE = 'epoch 3, batch 100: loss 0.2718, "accuracy" 0.9 \\ é\n';
const textOf = (characters: number): string => LINE.repeat(Math.ceil(characters / LINE.length)).slice(0, characters);

/** An MLGym run directory: trajectory and history repeat each observation. Returns its bytes. */
function writeRun(folder: string, model: string, index: number, own: number, longFirst = 0): number {
  const path = join(folder, `metagen-${model}__battleOfSexes__default__t-0.00__p-0.95__c-4.00__install-0_run_${index}`);
  mkdirSync(path, { recursive: true });
  const file = openSync(join(path, 'battleOfSexes.traj'), 'w');
  const action = (i: number): string =>
    i === own ? 'submit' : i % 5 === 0 ? 'validate' : 'python train.py --epochs 3';
  const entry = (i: number): string => {
    const response = `I shall try once more.\n\`\`\`\n${action(i)}\n\`\`\``;
    const text = action(i) === 'validate' ? 'Your code produced a valid submission artefact.\n' : textOf(observation);
    return JSON.stringify({
      ...{ action: action(i), observation: text, response, thought: 'I shall try once more.', execution_time: 0.25 },
      state: JSON.stringify({ open_file: 'n/a', working_dir: '/home/agent/workspace' }),
    });
  };
  writeSync(file, '{"environment": "mlgym_main", "trajectory": [');
  for (let i = 1; i <= own; i++) {
    if (i > 1) writeSync(file, ', ');
    if (i > 1 || longFirst === 0) {
      writeSync(file, entry(i));
      continue;
    }
    const [before = '', after = ''] = entry(1).split(JSON.stringify(textOf(observation)).slice(1, -1));
    const piece = JSON.stringify(textOf(1 << 20)).slice(1, -1);
    writeSync(file, before);
    for (let written = 0; written < longFirst; written += piece.length) writeSync(file, piece);
    writeSync(file, after);
  }
  writeSync(file, '], "history": [{"role": "system", "content": "You are a researcher.", "agent": "primary_0"}');
  for (let i = 1; i <= own; i++)
    writeSync(file, `, ${entry(i)}, {"role": "user", "content": ${JSON.stringify(textOf(observation))}}`);
  const scores = Array.from({ length: Math.floor(own / 5) }, (_, i) => ({ Score: 1 + i / 100 }));
  const info = {
    model_stats: { total_cost: 0.5, task_cost: 0.5, tokens_sent: 100_000, tokens_received: 2_000, api_calls: own },
    exit_status: 'submitted',
    submission: '/home/agent/workspace/strategy.py',
    score: scores,
  };
  writeSync(file, `], "info": ${JSON.stringify(info)}}\n`);
  closeSync(file);
  const results = JSON.stringify({ agent: scores, baseline: { Score: 1 } });
  writeFileSync(join(path, 'results.json'), results);
  return statSync(join(path, 'battleOfSexes.traj')).size + results.length;
}

const home = new ThrowawayHome('import');

async function measured(folder: string, megabytes: number) {
  const start = performance.now();
  const importing = execa(process.execPath, [MAIN, 'import', 'mlgym', folder, '--json'], { env: home.env });
  let peakMb = 0;
  const watch = setInterval(() => (peakMb = Math.max(peakMb, peakMemoryMb(importing.pid ?? null) ?? 0)), 20);
  const { stdout } = await importing.finally(() => clearInterval(watch));
  const seconds = (performance.now() - start) / 1000;
  const { imported, known, failed, steps: taken } = JSON.parse(stdout) as Record<string, number>;
  return {
    ...{ imported, known, failed, steps: taken, megabytes: Math.round(megabytes), peakMb },
    seconds: Number(seconds.toFixed(2)),
    stepsPerSecond: Math.round((taken ?? 0) / seconds),
    megabytesPerSecond: Number((megabytes / seconds).toFixed(1)),
  };
}

try {
  const [many, long] = [join(home.dir, 'many'), join(home.dir, 'long')];
  let bytes = 0;
  for (let i = 0; i < runs; i++) bytes += writeRun(many, `model-${i % 10}`, Math.floor(i / 10), steps);
  const longBytes = writeRun(long, 'model-long', 0, 3, longMb * 1e6);
  await home.bench('up');
  const first = await measured(many, bytes / 1e6);
  const again = await measured(many, bytes / 1e6);
  const oneLong = await measured(long, longBytes / 1e6);
  for (const [what, row] of Object.entries({
    [`${runs} runs of ${steps} steps`]: first,
    'the same again': again,
    [`an observation of ${longMb} MB`]: oneLong,
  }))
    process.stderr.write(
      `${what}, ${row.megabytes} MB: ${row.seconds} s, ${row.stepsPerSecond} steps/s, ${row.megabytesPerSecond} MB/s, peak ${row.peakMb} MiB\n`,
    );
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'import', runs, steps, observation, first, again, long: oneLong })}\n`,
  );
} finally {
  await home.remove();
}
