import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { suggestion } from '../../../domain/text/closest.js';
import { validatePath } from '../../../catalog/index.js';
import { makeFolder } from '../../../services/make-folder.js';
import { findLeaks } from '../prepare/prepare-task.js';
import { type CheckoutTask, readCheckout } from './mlgym-config.js';
import { draftTask, type ImportChoices, planTask, scanOrder, type TaskDraft, type TaskPlan } from './plan-task.js';
import { scanImports } from './scan-imports.js';
import { writeTask } from './write-task.js';
import type { ImportedTask as ImportedTaskView } from '../../../domain/views/tasks.js';
import type { ImportProblem } from './mlgym-config.js';

/** With the options that each problem's remedy names. */
export type ImportedTask = Omit<ImportedTaskView, 'problems'> & { problems: ImportProblem[] };

export interface ImportOptions extends ImportChoices {
  assetsRoot: string;
  into: string;
  prefix: string;
  /** Ids, or names of config files; undefined: all. */
  tasks?: readonly string[] | undefined;
  force: boolean;
  dryRun: boolean;
}

/** Makes each task aside, checks it and moves it into place in one step. */
export async function importTasks(checkoutDir: string, options: ImportOptions): Promise<ImportedTask[]> {
  const checkout = readCheckout(resolve(checkoutDir));
  if (checkout.tasks.length + checkout.broken.length === 0)
    throw new BenchError('usage', `${checkoutDir} is not a checkout of MLGym: it has no configs/tasks/*.yaml`, {
      code: 'file.not_found',
      remedy:
        'Give the folder that contains configs/ and data/ of MLGym. `bench import mlgym` imports run directories.',
    });
  const wanted = selected(
    checkout.tasks,
    checkout.broken.map(({ id }) => id),
    options.tasks,
  );
  const results: ImportedTask[] = checkout.broken
    .filter(({ id }) => options.tasks === undefined || options.tasks.includes(id))
    .map(({ id, problem }) => refused(id, [problem]));

  const bundled = join(options.assetsRoot, 'configs');
  const requirements = join(options.assetsRoot, 'datasets', 'mlgym');
  const drafts: TaskDraft[] = [];
  for (const task of wanted) {
    const draft = draftTask(checkout, task, bundled);
    if (Array.isArray(draft)) results.push(refused(task.id, draft));
    else drafts.push(draft);
  }
  const scans = drafts.length === 0 ? [] : await scanImports(options.assetsRoot, drafts.map(scanOrder));
  for (const [index, draft] of drafts.entries()) {
    const plan = planTask(checkout, draft, scans[index]!, options, { configs: bundled, requirements });
    results.push(Array.isArray(plan) ? refused(draft.task.id, plan) : await place(checkoutDir, plan, options));
  }
  return results.sort((a, b) => a.id.localeCompare(b.id, 'en'));
}

const refused = (id: string, problems: ImportProblem[]): ImportedTask => ({
  id,
  task: null,
  status: 'not_imported',
  kind: null,
  submission: [],
  secrets: [],
  next: null,
  problems,
  notes: [],
});

function selected(tasks: readonly CheckoutTask[], broken: readonly string[], names: readonly string[] | undefined) {
  if (names === undefined) return tasks;
  const known = [...tasks.map(({ id }) => id), ...broken];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new BenchError('usage', `the checkout has no task ${JSON.stringify(unknown)}`, {
      code: 'task.not_found',
      remedy: suggestion(unknown, known),
    });
  return tasks.filter(({ id }) => names.includes(id));
}

async function place(checkoutDir: string, plan: TaskPlan, options: ImportOptions): Promise<ImportedTask> {
  const { id, file } = plan.task;
  const name = options.prefix + id;
  const target = join(options.into, 'tasks', name);
  const needsData = plan.data.missing.length > 0;
  const result: ImportedTask = {
    id,
    task: name,
    status: needsData && !plan.generated ? 'needs_data' : 'imported',
    kind: plan.kind,
    submission: [...plan.submission.files, ...plan.submission.folders.map((path) => `${path}/`)],
    secrets: plan.secrets,
    next: plan.generated
      ? `bench tasks prepare ${name}`
      : needsData
        ? `put the data at ${plan.data.places.join(', ')}, then import ${id} again, with their folder`
        : null,
    problems: [],
    notes: notesOf(plan),
  };
  if (existsSync(target) && !options.force) {
    const problem = {
      file: target,
      key: '',
      message: 'already exists',
      remedy: 'Replace it.',
      fields: { force: true } as const,
    };
    return refused(id, [problem]);
  }
  if (options.dryRun) return result;

  const aside = join(options.into, 'tasks', `.${randomBytes(6).toString('hex')}.tmp`);
  const made = join(aside, name);
  try {
    makeFolder(made, 0o700);
    writeTask(plan, made, { assetsRoot: options.assetsRoot });
    const found = validatePath(made).flatMap(({ problems }) => problems);
    if (found.length > 0)
      return refused(
        id,
        found.map(({ key, message }) => ({
          file,
          key,
          message,
          remedy: 'Correct the options of the task; if they are right, report it: the import made an invalid task.',
        })),
      );
    const leaks = await findLeaks([join(made, 'starter')], [join(made, 'evaluator')], options);
    if (leaks.length > 0)
      return refused(id, [
        {
          file,
          key: 'starter_code',
          message: leaks.join('; '),
          remedy: 'Keep those files from agents.',
          fields: { secret: `${id}=<path>,<path>` },
        },
      ]);
    if (existsSync(target)) renameSync(target, join(aside, 'replaced'));
    renameSync(made, target);
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError('failed', `task ${name} cannot be written to ${target}: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Free disk space or make it writable, then import again. Nothing partial is left.',
      cause,
    });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return result;
}

function notesOf(plan: TaskPlan): string[] {
  return [
    ...(plan.kind === 'program' ? ["shared process: the agent's code can forge its scores"] : []),
    ...(plan.kind === 'program' && !plan.submission.why.startsWith('named by')
      ? [`handed in: ${plan.submission.why}`]
      : []),
    ...(plan.secrets.length > 0 && !plan.generated ? [`kept from agents: ${plan.secrets.join(', ')}`] : []),
    ...plan.notes,
    ...(plan.data.maker !== null ? [`${plan.data.maker} makes its data`] : []),
  ];
}

/** A new configs folder begins as a copy of the bundled one: tasks need agents. */
export function makeConfigs(into: string, bundled: string): void {
  if (existsSync(into)) return;
  const aside = join(dirname(into), `.${basename(into)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    makeFolder(dirname(aside));
    cpSync(bundled, aside, { recursive: true });
    renameSync(aside, into);
  } catch (cause) {
    throw new BenchError('usage', `${into} cannot be written: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Make it writable, or name another configuration folder.',
      fields: { configDir: true },
      cause,
    });
  } finally {
    if (existsSync(aside)) rmSync(aside, { recursive: true });
  }
}
