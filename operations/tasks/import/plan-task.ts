import { readFileSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import type { TaskFolder } from '../../../domain/task/task.js';
import type { MlgymTask } from '../../../domain/mlgym/tasks.js';
import { folderFiles, loadTask, taskIds } from '../../../catalog/index.js';
import { plainPath } from './plain-path.js';
import { copiesOfSecrets, findLocalData, type LocalData, secretsAmong, type WorkspaceFiles } from './local-data.js';
import { chooseMetrics, type MetricChoice } from './metric-keys.js';
import { type Checkout, type CheckoutTask, type DatasetConfig, readDatasets } from './mlgym-config.js';
import { unpinnedModules } from './packages.js';
import type { ImportScan, ScanOrder } from './scan-imports.js';
import type { ImportProblem } from './mlgym-config.js';

/** The caller's choices for single tasks, by id. */
export interface ImportChoices {
  /** Folder that contains datasets. */
  data?: string | undefined;
  generate: boolean;
  metrics: Readonly<Record<string, Pick<MlgymTask, 'metric' | 'direction'>>>;
  submissions: Readonly<Record<string, readonly string[]>>;
  secrets: Readonly<Record<string, readonly string[]>>;
  requirements: Readonly<Record<string, string>>;
}

interface PlannedSubmission {
  files: string[];
  optional: string[];
  folders: string[];
  why: string;
}

export interface TaskPlan {
  task: CheckoutTask;
  datasets: DatasetConfig[];
  /** `data`: only the evaluator runs; `program`: submitted code runs in its process. */
  kind: 'data' | 'program';
  /** Its path in the workspace. */
  entry: string;
  arguments: string[];
  output: 'whole' | 'first line';
  starter: WorkspaceFiles;
  imports: ImportScan;
  submission: PlannedSubmission;
  data: LocalData;
  /** prepare.py makes the 3-SAT instances. */
  generated: boolean;
  secrets: string[];
  metrics: MetricChoice;
  requirements: { name: string; text: string };
  /** Needs no package, so it also runs where none can be installed. */
  withoutPackages: boolean;
  /** bench's own version of this task, if any. */
  own: TaskFolder | null;
  notes: string[];
}

const ENTRYPOINTS = {
  CSVSubmissionTasks: { kind: 'data', arguments: ['--submission_file', '{workspace}/submission.csv'], output: 'whole' },
  PythonSubmissionTasks: { kind: 'program', arguments: [], output: 'whole' },
  ModelSubmissionTasks: { kind: 'program', arguments: ['--config_fname', '{config}'], output: 'first line' },
} as const;
const GENERATED = '3SATTime';
const CHECKPOINTS = 'checkpoints';

/** A task whose files are known, before its programs have been scanned. */
export interface TaskDraft {
  task: CheckoutTask;
  datasets: DatasetConfig[];
  starter: WorkspaceFiles;
  entry: string;
  entrypoint: (typeof ENTRYPOINTS)[keyof typeof ENTRYPOINTS];
}

/** Finds problems that do not depend on the programs. */
export function draftTask(checkout: Checkout, task: CheckoutTask, ours: string): TaskDraft | ImportProblem[] {
  const { config, file } = task;
  const { datasets, problems } = readDatasets(checkout, task);
  const at = (key: string, message: string, remedy: string): void => {
    problems.push({ file, key, message, remedy });
  };
  const replacement =
    ownTask(ours, task) === null ? 'Skip it.' : `Play ${task.id} of bench instead, which needs none of this.`;
  const entrypoint = Object.hasOwn(ENTRYPOINTS, config.task_entrypoint)
    ? ENTRYPOINTS[config.task_entrypoint as keyof typeof ENTRYPOINTS]
    : null;
  if (config.task_entrypoint === 'LMSubmissionTasks')
    at('task_entrypoint', 'its evaluator runs under torchrun on GPUs, and evaluators have none here', replacement);
  else if (entrypoint === null) {
    const known = Object.keys(ENTRYPOINTS).join(', ');
    at('task_entrypoint', `${config.task_entrypoint} is not known (known: ${known})`, 'Correct it, or skip the task.');
  }
  for (const dataset of datasets.filter(({ is_local }) => !is_local)) {
    const message = `${dataset.name} (${dataset.data_path}) is loaded from a hub while agent and evaluator run, which have no network here`;
    at('dataset_configs', message, replacement);
  }
  for (const { data_path } of datasets.filter((dataset) => dataset.is_local && !isInside(dataset.data_path)))
    at('dataset_configs', `${data_path} points outside of the checkout`, 'Correct the path.');
  const starter: WorkspaceFiles = new Map();
  for (const path of config.starter_code) {
    const from = join(checkout.dir, path);
    const there = plainPath(checkout.dir, normalize(path));
    if (!isInside(path)) at('starter_code', `${path} points outside of the checkout`, 'Correct the path.');
    else if (there.kind === 'refused')
      at('starter_code', `${there.part}: ${there.reason}`, 'Replace it with its target.');
    else if (there.kind === 'missing')
      at('starter_code', `there is no ${path}`, 'Get the whole checkout, or correct the path.');
    else if (there.kind === 'folder')
      for (const one of folderFiles(from)) starter.set(`${basename(path)}/${one.path}`, join(from, one.path));
    else starter.set(basename(path), from);
  }
  const entry = config.evaluation_paths[0] ?? '';
  if (!starter.has(entry) && problems.length === 0)
    at('evaluation_paths', `${entry} is not among the starter's files`, 'Name it in starter_code.');
  return problems.length > 0 || entrypoint === null ? problems : { task, datasets, starter, entry, entrypoint };
}

export const scanOrder = ({ starter, entry }: TaskDraft): ScanOrder => ({ files: Object.fromEntries(starter), entry });

/** Plans with the evaluator's imports. */
export function planTask(
  checkout: Checkout,
  draft: TaskDraft,
  imports: ImportScan,
  choices: ImportChoices,
  bundled: { configs: string; requirements: string },
): TaskPlan | ImportProblem[] {
  const { task, starter, entry, entrypoint, datasets } = draft;
  const { config, file, id } = task;
  const notes: string[] = [];
  const problems: ImportProblem[] = [];
  if (imports.problem !== null)
    problems.push({ file, key: 'starter_code', message: imports.problem, remedy: 'Correct the program.' });

  const chosen = choices.requirements[id];
  const requirements =
    chosen === undefined
      ? bundledPins(bundled.requirements, imports.packages)
      : { name: 'requirements.txt', text: readFileSync(chosen, 'utf8') };
  const unpinned = unpinnedModules(imports.packages, requirements.text);
  if (unpinned.length > 0)
    problems.push({
      file,
      key: config.requirements_path == null ? 'starter_code' : 'requirements_path',
      message: `${entry} needs pins: it imports ${unpinned.join(', ')}, which ${chosen ?? requirements.name} does not name`,
      remedy: `Give versions (name==version per line) that work together.`,
      fields: { requirements: `${id}=<file>` },
    });
  else if (config.requirements_path != null && chosen === undefined)
    notes.push(`${config.requirements_path} names no versions: ${requirements.name} is installed instead`);

  const metrics = chooseMetrics({
    id,
    file,
    baseline: config.baseline_scores,
    evaluator: readFileSync(starter.get(entry)!, 'utf8'),
    given: choices.metrics[id],
  });
  const submission = plannedSubmission(draft, imports, choices.submissions[id]);
  for (const found of [metrics, submission]) if ('message' in found) problems.push(found);
  if (problems.length > 0 || 'message' in metrics || 'message' in submission) return problems;

  const local = datasets.filter(({ is_local }) => is_local);
  const data = findLocalData(checkout.dir, choices.data, local);
  const generated = data.missing.length > 0 && id === GENERATED && choices.generate;
  const secrets = secretsAmong(
    [...data.files.keys(), ...starter.keys()].filter((path) => path !== entry),
    { id, secretFiles: config.secret_files },
    choices.secrets[id] ?? [],
  );
  const all = new Map([...starter, ...data.files]);
  for (const name of copiesOfSecrets(
    starter,
    secrets.map((path) => all.get(path)!),
  )) {
    starter.delete(name);
    notes.push(`${name} is omitted: it is a copy of what only the evaluator may know`);
  }
  if (id === 'imageCaptioningCOCO') notes.push('self-reported: the submission states its own score');
  if (config.task_entrypoint === 'ModelSubmissionTasks')
    notes.push('checkpoints are unpickled, beside the evaluator, in a process without a network');
  return {
    task,
    datasets,
    kind: entrypoint.kind,
    entry,
    arguments: [...entrypoint.arguments],
    output: entrypoint.output,
    starter,
    imports,
    submission,
    data,
    generated,
    secrets,
    metrics,
    requirements,
    withoutPackages: imports.packages.length === 0 && (generated || datasets.length === 0),
    own: ownTask(bundled.configs, task),
    notes,
  };
}

/** Modules and pickles that agents add. The evaluator's own files are never taken from them. */
const OWN_FILES = ['*.py', '*.pkl', '*.npz'];

/** Compatible versions: for JAX with MLGym's reinforcement learning, or for the rest. */
function bundledPins(folder: string, modules: readonly string[]): { name: string; text: string } {
  const name = modules.includes('jax') ? 'requirements-jax.txt' : 'requirements-cpu.txt';
  return { name, text: readFileSync(join(folder, name), 'utf8') };
}

/** The agents' files. Everything else that the evaluator imports is its own copy. */
function plannedSubmission(
  { task, starter, entry, entrypoint }: TaskDraft,
  imports: ImportScan,
  given: readonly string[] | undefined,
): PlannedSubmission | ImportProblem {
  const { config, file, id } = task;
  const only = (files: readonly string[], why: string): PlannedSubmission => ({
    files: [...files],
    // A program may have several modules, and unpickle trained models.
    optional: entrypoint.kind === 'program' ? OWN_FILES : [],
    folders: [],
    why,
  });
  if (given?.includes(entry) === true)
    return {
      file,
      key: 'evaluation_paths',
      message: `${entry} is the evaluator, which agents may not submit`,
      remedy: 'Name other files.',
      fields: { submission: `${id}=<file>,<file>` },
    };
  if (given !== undefined) return only(given, 'as named for the import');
  if (entrypoint.kind === 'data') return only(['submission.csv'], 'as CSVSubmissionTasks takes it');
  if (config.task_entrypoint === 'ModelSubmissionTasks') {
    const folders = [
      ...new Set([...starter.keys()].filter((path) => path.includes('/')).map((path) => path.split('/')[0]!)),
    ];
    return {
      files: [],
      optional: ['config.yaml', ...OWN_FILES],
      folders: [CHECKPOINTS, ...folders],
      why: 'checkpoints, and the folders of the starter',
    };
  }
  const named = imports.local.filter((path) => config.description.includes(`\`${path}\``));
  if (named.length > 0) return only(named, 'the files that the evaluator imports and the description names');
  if (imports.local.length > 0)
    return only(imports.local, 'all files that the evaluator imports, since the description names none of them');
  return {
    file,
    key: 'starter_code',
    message: `cannot detect what agents submit: ${entry} imports no file of the starter`,
    remedy: 'Name the files.',
    fields: { submission: `${id}=<file>,<file>` },
  };
}

function ownTask(configs: string, { id }: CheckoutTask): TaskFolder | null {
  try {
    return taskIds([configs]).includes(id) ? loadTask([configs], id) : null;
  } catch (error) {
    if (error instanceof BenchError) return null;
    throw error;
  }
}

/** Whether a path of a config stays in the checkout. */
const isInside = (path: string): boolean => !normalize(path).startsWith('..');
