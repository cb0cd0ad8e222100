import type { ImportProblem as ImportProblemView } from '../../../domain/views/tasks.js';
import type { RemedyFields } from '../../../domain/errors.js';
import { readdirSync } from 'node:fs';
import { basename, join, normalize } from 'node:path';
import { z } from 'zod';
import { ConfigError, readYaml } from '../../../catalog/index.js';
import { plainPath } from './plain-path.js';

const texts = z
  .array(z.string())
  .nullish()
  .transform((list) => list ?? []);

/** The used keys of MLGym's `configs/tasks/*.yaml`; others are ignored. */
const taskConfigSchema = z.looseObject({
  id: z.string().min(1),
  name: z.string().min(1),
  description: z.string().min(1),
  task_entrypoint: z.string().min(1),
  dataset_configs: texts,
  starter_code: texts,
  baseline_paths: texts,
  baseline_scores: z
    .array(z.record(z.string(), z.number()))
    .nullish()
    .transform((list) => list?.[0] ?? {}),
  evaluation_paths: z.array(z.string()).min(1),
  secret_files: texts,
  training_timeout: z.number().int().positive().nullish(),
  use_generic_conda: z
    .boolean()
    .nullish()
    .transform((value) => value ?? true),
  requirements_path: z.string().nullish(),
});
type TaskConfig = z.output<typeof taskConfigSchema>;

const datasetConfigSchema = z.looseObject({
  name: z.string().min(1),
  description: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  data_path: z.string().min(1),
  is_local: z
    .boolean()
    .nullish()
    .transform((value) => value ?? false),
});
export type DatasetConfig = z.output<typeof datasetConfigSchema>;

/** An obstacle to importing a task, with its place and remedy. */
export interface ImportProblem extends ImportProblemView {
  /** The options of the import that it is about. */
  fields?: RemedyFields;
}

export interface CheckoutTask {
  file: string;
  /** Unique: of two files with one id, the one not named after it uses its own name. */
  id: string;
  config: TaskConfig;
}

export interface Checkout {
  dir: string;
  tasks: CheckoutTask[];
  broken: { id: string; problem: ImportProblem }[];
}

const TASKS = 'configs/tasks';

const yamlFiles = (dir: string): string[] =>
  plainPath(dir, TASKS).kind === 'folder'
    ? readdirSync(join(dir, TASKS))
        .filter((name) => /\.ya?ml$/.test(name))
        .sort()
    : [];

/** Reads a file of the checkout itself. Throws ConfigError. */
function readOwn<T>(dir: string, path: string, schema: z.ZodType<T>): T {
  const found = plainPath(dir, normalize(path));
  if (found.kind === 'refused')
    throw new ConfigError([{ file: join(dir, path), line: null, key: '', message: `${found.part}: ${found.reason}` }]);
  return readYaml(join(dir, path), schema).value;
}

const stemOf = (file: string): string => basename(file).replace(/\.ya?ml$/, '');

export function readCheckout(dir: string): Checkout {
  const read: { file: string; config: TaskConfig }[] = [];
  const broken: Checkout['broken'] = [];
  for (const name of yamlFiles(dir)) {
    const file = join(dir, TASKS, name);
    try {
      read.push({ file, config: readOwn(dir, join(TASKS, name), taskConfigSchema) });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const { file: at, key, message } = error.problems[0] ?? { file, key: '', message: error.message };
      broken.push({ id: stemOf(file), problem: { file: at, key, message, remedy: 'Correct the file.' } });
    }
  }
  const tasks = read.map(({ file, config }) => {
    const stem = stemOf(file);
    const shared = read.filter((other) => other.config.id === config.id);
    const owner = shared.find((other) => stemOf(other.file) === config.id) ?? shared[0];
    return { file, config, id: owner?.file === file ? config.id : stem };
  });
  return { dir, tasks, broken };
}

/** The dataset configs that a task names, next to `configs/`. */
export function readDatasets(
  { dir }: Pick<Checkout, 'dir'>,
  task: CheckoutTask,
): { datasets: DatasetConfig[]; problems: ImportProblem[] } {
  const datasets: DatasetConfig[] = [];
  const problems: ImportProblem[] = [];
  for (const path of task.config.dataset_configs) {
    const file = join(dir, 'configs', path);
    const there = plainPath(dir, normalize(join('configs', path))).kind !== 'missing';
    try {
      datasets.push(readOwn(dir, join('configs', path), datasetConfigSchema));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const found = error.problems[0];
      problems.push({
        file: there ? file : task.file,
        key: there ? (found?.key ?? '') : 'dataset_configs',
        message: there ? (found?.message ?? error.message) : `there is no ${join('configs', path)}`,
        remedy: there ? 'Correct the file.' : 'Add the dataset config, or skip the task.',
      });
    }
  }
  return { datasets, problems };
}
