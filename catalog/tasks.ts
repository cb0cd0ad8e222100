import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { promptVariables } from '../domain/agent/messages.js';
import { BenchError } from '../domain/errors.js';
import { taskSchema } from '../domain/task/task.js';
import type { TaskFolder, TaskSpec } from '../domain/task/task.js';
import { sampleAgent } from './agents.js';
import { suggestion } from '../domain/text/closest.js';
import { ConfigError } from './config-error.js';
import { type ConfigEntry, configEntries, type ConfigFolders } from './config-entries.js';
import { hashFolder } from './folder-hash.js';
import { loadEach, loadEntry } from './load-entry.js';
import { networkProblems, requirementsProblems } from './task-environment.js';
import { secretProblems, solutionProblems, targetProblems } from './task-solutions.js';
import { readYaml } from './yaml-file.js';
import type { ProblemAt } from './yaml-file.js';
import type { ConfigProblem, ValidatedFile } from '../domain/views/catalog.js';

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** The evaluator's script must exist in exactly one place. */
function evaluatorProblems(spec: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  const { evaluator, submission, splits } = spec;
  const problems: ConfigProblem[] = [];
  if (evaluator.kind === 'game') {
    const file = `${evaluator.module}.py`;
    if (!submission.files.includes(file))
      problems.push(problem(['evaluator', 'module'], `needs ${file} among submission.files`));
  }
  if (evaluator.kind === 'program') {
    const { script } = evaluator;
    const submitted = submission.files.includes(script);
    const given = existsSync(join(dir, 'evaluator', 'player', script));
    if (!submitted && !given)
      problems.push(
        problem(
          ['evaluator', 'script'],
          `needs ${script} among submission.files, or a file evaluator/player/${script}`,
        ),
      );
    if (submitted && given)
      problems.push(
        problem(['evaluator', 'script'], `is both in submission.files and evaluator/player/${script}; remove one`),
      );
  }
  if (evaluator.kind === 'harbor') {
    for (const file of ['environment/Dockerfile', 'evaluator/tests/test.sh'])
      if (!existsSync(join(dir, file))) problems.push(problem(['evaluator', 'kind'], `harbor needs ${file}`));
    if (spec.requirements !== undefined)
      problems.push(problem(['requirements'], 'a task of kind harbor has its packages in environment/Dockerfile'));
  }
  if ((evaluator.kind === 'harbor') !== (submission.whole === true))
    problems.push(problem(['submission', 'whole'], 'is only for an evaluator of kind harbor'));
  const inputs = join(dir, 'evaluator', 'inputs');
  for (const split of splits) {
    if (isFolder(inputs) && !isFolder(join(inputs, split)))
      problems.push(problem(['splits'], `no folder evaluator/inputs/${split}/ for the split ${split}`));
  }
  return problems;
}

/** prepare.py must exist, and the files it makes must not. */
function dataProblems({ data }: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  if (data === undefined) return [];
  const problems: ConfigProblem[] = [];
  if (!existsSync(join(dir, 'prepare.py')))
    problems.push(problem(['data'], 'needs a file prepare.py next to task.yaml, which makes the data'));
  if (existsSync(join(dir, 'data.json')))
    problems.push(problem(['data'], 'remove data.json next to task.yaml: the name is reserved for frozen tasks'));
  for (const [key, folder] of [
    ['agent', 'starter'],
    ['hidden', 'evaluator'],
  ] as const)
    for (const [index, path] of data[key].entries())
      if (existsSync(join(dir, folder, path)))
        problems.push(
          problem(
            ['data', key, index],
            `${folder}/${path} already exists in the task's folder, but prepare.py must make it`,
          ),
        );
  return problems;
}

/** Checks beyond the schema: files next to the YAML, and keys that must agree. */
function consistencyProblems(spec: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  if (spec.id !== basename(dir)) {
    problems.push(problem(['id'], `is ${spec.id}, but the folder is called ${basename(dir)}; make them equal`));
  }
  const metrics = Object.keys(spec.metrics);
  if (!metrics.includes(spec.primary)) {
    problems.push(problem(['primary'], `${spec.primary} is not one of the metrics (${metrics.join(', ')})`));
  }
  problems.push(...evaluatorProblems(spec, dir, problem));
  problems.push(...dataProblems(spec, dir, problem));
  problems.push(...networkProblems(spec, problem), ...requirementsProblems(spec, dir, problem));
  problems.push(...solutionProblems(spec, dir, problem), ...secretProblems(spec, dir, problem));
  problems.push(...targetProblems(spec, problem));
  for (const [name, metric] of Object.entries(spec.metrics)) {
    const { min, max } = metric.bounds ?? {};
    if (min !== undefined && max !== undefined && min > max) {
      problems.push(problem(['metrics', name, 'bounds'], `min ${min} is above max ${max}`));
    }
  }
  for (const folder of ['starter', 'evaluator']) {
    if (!isFolder(join(dir, folder))) problems.push(problem([], `no folder ${folder}/ next to task.yaml`));
  }
  if (
    spec.evaluator.kind !== 'harbor' &&
    isFolder(join(dir, 'evaluator')) &&
    !existsSync(join(dir, 'evaluator', 'referee.py'))
  ) {
    problems.push(problem(['evaluator', 'kind'], `${spec.evaluator.kind} needs evaluator/referee.py`));
  }
  try {
    promptVariables({ task: spec, agent: sampleAgent, maxSteps: 50 }, '/workspace');
  } catch (error) {
    problems.push(problem(['description'], (error as Error).message));
  }
  return problems;
}

/** Throws a ConfigError with all problems. */
export function loadTaskFolder(folder: string): TaskFolder {
  const dir = resolve(folder);
  const { value: spec, problem } = readYaml(join(dir, 'task.yaml'), taskSchema);
  const problems = consistencyProblems(spec, dir, problem);
  if (problems.length > 0) throw new ConfigError(problems);
  return { spec, dir, contentHash: hashFolder(dir) };
}

/** An unknown id is a usage error that lists what exists. */
export function loadTask(folders: ConfigFolders, id: string): TaskFolder {
  const entries = configEntries(folders, 'tasks');
  const entry = entries.find(({ name }) => name === id);
  if (entry === undefined) {
    const places = folders.map((folder) => join(folder, 'tasks')).join(' or ');
    throw new BenchError('usage', `no task ${JSON.stringify(id)} under ${places}`, {
      code: 'task.not_found',
      remedy: suggestion(
        id,
        entries.map(({ name }) => name),
      ),
    });
  }
  return loadEntry(entry, (file) => loadTaskFolder(dirname(file)));
}

/** Sorted by id, with the broken files. */
export function listTasks(folders: ConfigFolders): {
  tasks: { task: TaskFolder; entry: ConfigEntry }[];
  broken: ValidatedFile[];
} {
  const { loaded, broken } = loadEach(configEntries(folders, 'tasks'), 'task', (entry) => ({
    task: loadTaskFolder(dirname(entry.file)),
    entry,
  }));
  return { tasks: loaded, broken };
}
