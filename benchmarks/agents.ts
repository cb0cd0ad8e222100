/**
 * Agents against each other with the same scripted players, whose commands are equal: what an
 * agent's form changes is its own doing, apart from the games' draws. On sample data.
 *
 *   npm run benchmark:agents -- [--agents default,modern] [--suite mlgym-bench]
 *     [--models scripted:baseline,scripted:oracle,scripted:seeker] [--attempts 1] [--max-steps 24]
 *     [--backend docker] [--seed 42] [--concurrency 2]
 */
import { parseArgs } from 'node:util';
import { ThrowawayHome } from './throwaway-home.js';

const WHOLE = 'mlgym-bench';
const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: 'default,modern' },
    suite: { type: 'string', default: WHOLE },
    models: { type: 'string', default: 'scripted:baseline,scripted:oracle,scripted:seeker' },
    attempts: { type: 'string', default: '1' },
    'max-steps': { type: 'string', default: '24' },
    backend: { type: 'string', default: 'docker' },
    seed: { type: 'string', default: '42' },
    concurrency: { type: 'string', default: '2' },
  },
});

interface Ended {
  task: string;
  model: string;
  score: number | null;
  end: string;
  steps: number;
  ms: number;
}

const home = new ThrowawayHome('agents');
try {
  await home.bench('tasks', 'prepare', '--suite', values.suite, '--sample');
  const played = new Map<string, Ended[]>();
  for (const agent of values.agents.split(',')) {
    await home.benchOrUnscored(
      ...['submit', '--name', agent, '--agent', agent, '--models', values.models, '--tasks', values.suite, '--sample'],
      ...['--attempts', values.attempts, '--max-steps', values['max-steps'], '--backend', values.backend],
      ...['--seed', values.seed, '--concurrency', values.concurrency, '--wait'],
    );
    const { rows } = await home.bench<{ rows: [string, string, number | null, string, number, number][] }>(
      'sql',
      `select r.task_id, r.model_name, r.final_score, r.end_reason, r.step,
         coalesce((select sum(command_ms) from steps s where s.run_id = r.run_id), 0)
       from runs r join batches b using (batch_id) where b.name = '${agent}' order by 1, 2, r.attempt`,
    );
    played.set(
      agent,
      rows.map(([task, model, score, end, steps, ms]) => ({ task, model, score, end, steps, ms })),
    );
    process.stderr.write(`${agent}: ${rows.length} runs\n`);
  }
  process.stdout.write(`${JSON.stringify(summary(played), null, 2)}\n`);
} finally {
  await home.remove();
}

function summary(played: ReadonlyMap<string, Ended[]>): unknown {
  const [first = []] = played.values();
  const mean = (numbers: number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  return {
    suite: values.suite === WHOLE ? WHOLE : `${values.suite}, a bounded form: by default ${WHOLE}`,
    agents: [...played].map(([agent, runs]) => ({
      agent,
      runs: runs.length,
      scored: runs.filter(({ score }) => score !== null).length,
      'same end': runs.filter(({ end }, at) => end === first[at]?.end).length,
      'mean steps': mean(runs.map(({ steps }) => steps)),
      'ms a command': mean(runs.map(({ ms, steps }) => Number(ms) / Math.max(1, steps))),
    })),
    scores: first.map(({ task, model }, at) => ({
      ...{ task, model },
      ...Object.fromEntries([...played].map(([agent, runs]) => [agent, runs[at]?.score ?? null])),
    })),
  };
}
