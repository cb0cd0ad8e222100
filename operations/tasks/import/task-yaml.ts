import { stringify } from 'yaml';
import { MLGYM_TASKS } from '../../../domain/mlgym/tasks.js';
import type { TaskSpecInput } from '../../../domain/task/task.js';
import { DATA_FOLDER } from './local-data.js';
import { memoryFor } from './packages.js';
import type { TaskPlan } from './plan-task.js';
import { taskPrompt } from './task-prompt.js';

/** MLGym's default for commands, MLGYM_AGENT_LONG_TIMEOUT. */
const DEFAULT_TIMEOUT = 3600;
/** The share by which a repetition may differ: MLGym publishes single scores without errors. */
const SHARE_OF_ERROR = 0.01;
/** For two evaluations on one machine, which may be busier at one of them. */
const NOISE_OF_TIME = 0.5;
const LARGEST_CHECKPOINTS = 256 * 1024 * 1024;

const isTime = (key: string): boolean => key === 'Time';

/** The evaluator's copy of the workspace's initial files. */
export const PRISTINE = 'inputs/test';

export function taskYaml(plan: TaskPlan, folder: string): string {
  const header = `# Made by \`bench tasks import mlgym\` from ${plan.task.config.id}; see README.md. Import again rather than edit.\n`;
  return header + stringify(taskSpec(plan, folder), { lineWidth: 0 });
}

function taskSpec(plan: TaskPlan, folder: string): TaskSpecInput {
  const { kind, task, metrics, submission } = plan;
  const seconds = task.config.training_timeout ?? DEFAULT_TIMEOUT;
  const memoryMb = memoryFor(plan.imports.packages);
  const name = kind === 'program' ? 'MLGym, shared process' : 'MLGym';
  return {
    schema: 1,
    id: folder,
    name: `${task.config.name} (${name})`,
    contract: 1,
    domain: plan.own?.spec.domain ?? 'imported',
    description: taskPrompt(plan),
    metrics: Object.fromEntries(metrics.metrics.map((metric) => [metric.key, metricSpec(plan, metric)])),
    primary: metrics.primary,
    ...baselineSpec(plan),
    submission: {
      files: submission.files,
      ...(submission.optional.length > 0 && { optional: submission.optional }),
      ...(submission.folders.length > 0 && { folders: submission.folders, maxBytes: LARGEST_CHECKPOINTS }),
    },
    evaluator:
      kind === 'data'
        ? { kind, timeoutSeconds: seconds, refereeMemoryMb: memoryMb }
        : {
            kind,
            script: 'mlgym_play.py',
            outputs: ['stdout.txt', 'stderr.txt'],
            timeoutSeconds: seconds,
            memoryMb,
          },
    limits: { commandSeconds: seconds },
    ...dataSpec(plan),
    requirements: {
      agent: plan.requirements.name,
      evaluator: plan.requirements.name,
      ...(plan.withoutPackages && { optional: true }),
    },
  };
}

function metricSpec(plan: TaskPlan, { key, direction }: TaskPlan['metrics']['metrics'][number]) {
  const { own, kind, task, entry } = plan;
  // A game's opponents are the same, and so is the reach of an honest strategy.
  const known = own?.spec.evaluator.kind === 'game' ? own.spec.metrics[key]?.bounds : undefined;
  const mlgym = MLGYM_TASKS[task.id];
  const bounds = known ?? (mlgym?.metric === key ? mlgym.bounds : undefined);
  const forgeable = kind === 'program' ? '; the submitted code runs in its process, and could print another' : '';
  return {
    direction,
    description: `printed by MLGym's ${entry}${forgeable}`,
    ...(bounds !== undefined && { bounds }),
    ...(isTime(key) && { unit: 's', noise: NOISE_OF_TIME }),
  };
}

function baselineSpec({ metrics, own, task, kind, starter, submission }: TaskPlan): Pick<TaskSpecInput, 'baseline'> {
  const value = metrics.metrics.find(({ key }) => key === metrics.primary)?.baseline ?? null;
  if (value === null) return {};
  // Measured where needed: a time depends on its machine.
  if (isTime(metrics.primary)) return { baseline: {} };
  const game = own?.spec.evaluator.kind === 'game' ? own.spec.baseline?.standardError : undefined;
  const program = task.config.baseline_paths[0];
  // MLGym's games name their evaluator: the starter is a submission.
  const makes = program !== undefined && program !== task.config.evaluation_paths[0];
  // A table that no program of the checkout writes.
  const reported = program === undefined && kind === 'data' && !submission.files.some((file) => starter.has(file));
  return {
    baseline: {
      value,
      standardError: game ?? Number((Math.abs(value) * SHARE_OF_ERROR).toPrecision(2)),
      ...(makes && (kind === 'data' || program.includes('/')) && { command: `python3 ${program}` }),
      ...(reported && { reported }),
    },
  };
}

function dataSpec({ generated, data }: TaskPlan): Pick<TaskSpecInput, 'data'> {
  if (!generated && data.missing.length === 0) return {};
  return { data: { agent: [DATA_FOLDER], hidden: [`${PRISTINE}/${DATA_FOLDER}`] } };
}
