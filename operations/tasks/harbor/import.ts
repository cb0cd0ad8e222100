import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { validatePath } from '../../../catalog/index.js';
import { BenchError } from '../../../domain/errors.js';
import type { HarborImport, ImportedHarborTask } from '../../../domain/views/tasks.js';
import { makeFolder } from '../../../services/make-folder.js';
import { configsToFill, type FillSettings } from '../import/configs-to-fill.js';
import { copyPlainFolder, plainPath } from '../import/plain-path.js';
import { type HarborPlan, type ImportChoices, planHarborTask } from './plan-task.js';
import { harborFolders } from './survey.js';

export interface HarborImportRequest extends ImportChoices {
  /** Configs folder that takes the tasks; default: the user's own. */
  into?: string | undefined;
  /** Folder names; default: all. */
  tasks?: readonly string[] | undefined;
  force: boolean;
  dryRun: boolean;
}

/** Makes each task aside, checks it and moves it into place in one step. */
export function importHarborTasks(
  { settings }: { settings: FillSettings },
  folder: string,
  request: HarborImportRequest,
): HarborImport {
  const found = harborFolders(folder);
  const unknown = request.tasks?.find((name) => !found.some((dir) => basename(dir) === name));
  if (unknown !== undefined)
    throw new BenchError('usage', `${folder} has no task ${JSON.stringify(unknown)}`, { code: 'task.not_found' });
  const into = configsToFill(settings, request);
  const wanted = found.filter((dir) => request.tasks === undefined || request.tasks.includes(basename(dir)));
  const from = new Map<string, string>();
  const tasks = wanted.map((dir) => importOne(dir, join(into, 'tasks'), request, from));
  return { into, dryRun: request.dryRun, imported: tasks.filter(({ id }) => id !== null).length, tasks };
}

/** `from`: source folders of this import's other tasks, by id. */
function importOne(
  folder: string,
  into: string,
  request: HarborImportRequest,
  from: Map<string, string>,
): ImportedHarborTask {
  const plan = planHarborTask(folder, request);
  const { survey, task } = plan;
  const outcome: ImportedHarborTask = {
    task: survey.task,
    id: task?.id ?? null,
    verification: survey.verification,
    inProcess: survey.inProcess !== null,
    refusals: survey.refusals,
    remarks: survey.remarks,
  };
  if (task === null) return outcome;
  const target = join(into, task.id);
  const refused = (file: string, key: string, reason: string): ImportedHarborTask => ({
    ...outcome,
    id: null,
    refusals: [...outcome.refusals, { file, key, reason }],
  });
  const other = from.get(task.id);
  if (other !== undefined) return refused('', '', `has the id ${task.id}, like ${other}: rename one of the folders`);
  from.set(task.id, folder);
  if (existsSync(target) && !request.force) return refused(target, '', 'already exists; use force to replace it');
  if (request.dryRun) return outcome;
  const aside = join(into, `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const made = join(aside, task.id);
    makeFolder(made, 0o700);
    write(resolve(folder), made, plan);
    const [problem] = validatePath(made).flatMap(({ problems }) => problems);
    if (problem !== undefined) return refused('task.yaml', problem.key, problem.message);
    if (existsSync(target)) renameSync(target, join(aside, 'replaced'));
    renameSync(made, target);
  } catch (cause) {
    if (cause instanceof BenchError) throw cause;
    throw new BenchError('failed', `task ${task.id} cannot be written to ${target}: ${(cause as Error).message}`, {
      code: 'file.unwritable',
      remedy: 'Free disk space or make it writable, then import again. Nothing partial is left.',
      cause,
    });
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return outcome;
}

function write(from: string, made: string, { task, survey }: HarborPlan): void {
  if (task === null) return;
  const header = `# Made by \`bench tasks import harbor\` from ${task.from}; see README.md. Import again rather than edit.\n`;
  writeFileSync(join(made, 'task.yaml'), header + stringify(task.spec, { lineWidth: 0 }));
  // The image has the files that the agent begins with.
  mkdirSync(join(made, 'starter'));
  const copy = (part: string, to: string): void => {
    if (plainPath(from, part).kind === 'folder') copyPlainFolder(join(from, part), join(made, to));
  };
  copy('environment', 'environment');
  mkdirSync(join(made, 'environment'), { recursive: true });
  rmSync(join(made, 'environment', 'Dockerfile'), { force: true });
  writeFileSync(join(made, 'environment', 'Dockerfile'), task.dockerfile, { flag: 'wx' });
  mkdirSync(join(made, 'evaluator'));
  copy('tests', 'evaluator/tests');
  mkdirSync(join(made, 'oracle'));
  copy('solution', 'oracle/.solution');
  const remarks = survey.remarks.map(
    ({ file, key, reason }) => `- ${[file, key].filter(Boolean).join(': ')}: ${reason}`,
  );
  writeFileSync(
    join(made, 'README.md'),
    [
      `# ${task.id}`,
      '',
      `A task in Harbor's format, imported from the folder ${task.from}. Its tests (evaluator/tests) run in`,
      {
        'clean-room': "a fresh container that gets the agent's working folder and nothing else.",
        'same-image':
          "a fresh container that gets the agent's working folder, home and temporary files: scores are marked `same_image`.",
        live: "the agent's own container, among its processes: scores are marked `live`, and never ranked.",
      }[survey.verification],
      '',
      `\`bench tasks verify ${task.id}\` builds its images, and shows that the solution passes and the untouched start does not.`,
      ...(remarks.length > 0 ? ['', 'The import remarked:', '', ...remarks] : []),
      '',
    ].join('\n'),
  );
}
