import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { notTested } from './not-tested.js';

/** Published run directories, outside the repository. Empty, with a report, if missing. */
export function publishedRunDirectories(): string[] {
  const folder = resolve(import.meta.dirname, '../../../shared/data/mlgym-bench-v0/trajectories');
  const found = existsSync(folder) ? readdirSync(folder).sort() : [];
  if (found.length === 0)
    notTested('published runs of MLGym-Bench', 'they are not part of the repository, and not beside it');
  return found.map((name) => join(folder, name));
}

export interface InventedRun {
  model?: string;
  task?: string;
  index?: number;
  settings?: string;
  status?: string | null;
  actions?: string[];
  observation?: (step: number) => string;
  openFile?: (step: number) => string;
  scores?: unknown;
  baseline?: unknown;
  /** Replaces the written content; null: no file. */
  trajectory?: string | Buffer | null;
  results?: string | Buffer | null;
  args?: string;
}

const step = (action: string, observation: string, openFile: string) => ({
  action,
  observation,
  response: `I go on.\n\`\`\`\n${action}\n\`\`\``,
  state: JSON.stringify({ open_file: openFile, working_dir: '/home/agent/workspace' }),
  thought: 'I go on.',
  execution_time: 0.25,
});

/** An MLGym run directory with invented content. Returns its path. */
export function writeRunDirectory(folder: string, run: InventedRun = {}): string {
  const {
    model = 'model-a',
    task = 'blotto',
    index = 0,
    settings = 'default__t-0.00__p-0.95__c-4.00__install-0',
  } = run;
  const { actions = ['ls', 'validate', 'submit'], scores = [{ Score: 0.1 }, { Score: 0.2 }] } = run;
  const path = join(folder, `metagen-${model}__${task}__${settings}_run_${index}`);
  mkdirSync(path, { recursive: true });
  const says = (action: string) =>
    action.startsWith('validate') ? 'Your code produced a valid submission artefact at x.\n' : 'done\n';
  const steps = actions.map((action, i) =>
    step(action, run.observation?.(i + 1) ?? says(action), run.openFile?.(i + 1) ?? 'n/a'),
  );
  const document = {
    environment: 'mlgym_main',
    trajectory: steps,
    history: [
      { role: 'system', content: 'You are a researcher.', agent: 'primary_0' },
      { role: 'user', content: 'Win.', agent: 'primary_0' },
      ...steps.flatMap((one, i) => [
        ...(i === 0 ? [] : [{ role: 'user', content: steps[i - 1]?.observation, agent: 'primary_0' }]),
        { role: 'assistant', content: one.response, thought: one.thought, action: one.action, agent: 'primary_0' },
      ]),
    ],
    info: {
      model_stats: {
        total_cost: 0.125,
        task_cost: 0.125,
        tokens_sent: 1000,
        tokens_received: 50,
        api_calls: actions.length,
      },
      exit_status: run.status === undefined ? 'submitted' : run.status,
      submission: '/home/agent/workspace/target.py',
      score: scores,
      summarizer: {},
    },
  };
  const trajectory = run.trajectory === undefined ? JSON.stringify(document) : run.trajectory;
  if (trajectory !== null) writeFileSync(join(path, `${task}.traj`), trajectory);
  const results =
    run.results === undefined
      ? JSON.stringify({ agent: scores, baseline: run.baseline === undefined ? { Score: -0.25 } : run.baseline })
      : run.results;
  if (results !== null) writeFileSync(join(path, 'results.json'), results);
  if (run.args !== undefined) writeFileSync(join(path, 'args.yaml'), run.args);
  return path;
}
