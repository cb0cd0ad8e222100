import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderFiles } from '../../../catalog/index.js';
import { seededModules } from './packages.js';
import type { TaskPlan } from './plan-task.js';
import { taskReadme } from './task-readme.js';
import { PRISTINE, taskYaml } from './task-yaml.js';

/** `dir` must not exist, and its last part is the task's id. */
export function writeTask(plan: TaskPlan, dir: string, from: { assetsRoot: string }): void {
  const programs = join(from.assetsRoot, 'datasets', 'mlgym');
  const id = dir.split('/').at(-1)!;
  const text = (path: string, content: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  };
  const copy = (source: string, path: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    copyFileSync(source, join(dir, path));
  };
  text('task.yaml', taskYaml(plan, id));
  text('README.md', taskReadme(plan, id));
  text(plan.requirements.name, plan.requirements.text);

  const { secrets, starter, data, kind } = plan;
  // Where data are missing, prepare.py stands for all of them.
  const found = data.missing.length > 0 ? [] : data.files;
  for (const [path, source] of [...starter, ...found]) {
    const secret = secrets.includes(path);
    if (!secret) copy(source, `starter/${path}`);
    // As in MLGym: its evaluators are programs.
    if (!secret && path === plan.entry) chmodSync(join(dir, 'starter', path), 0o755);
    // A program's process is the evaluator's: it gets everything.
    copy(source, secret && kind === 'data' ? `evaluator/secret/${path}` : `evaluator/${PRISTINE}/${path}`);
  }

  const order = `${JSON.stringify(evaluatorOrder(plan), null, 2)}\n`;
  text('evaluator/mlgym.json', order);
  copy(join(programs, 'mlgym_metrics.py'), 'evaluator/mlgym_metrics.py');
  copy(join(programs, `referee_${kind}.py`), 'evaluator/referee.py');
  const runner = kind === 'data' ? 'evaluator' : 'evaluator/player';
  for (const name of ['mlgym_run.py', 'mlgym_seeded.py']) copy(join(programs, name), `${runner}/${name}`);
  if (kind === 'program') {
    copy(join(programs, 'mlgym_play.py'), `${runner}/mlgym_play.py`);
    text(`${runner}/mlgym.json`, order);
  }
  if (plan.generated) copy(join(programs, 'prepare_3sat.py'), 'prepare.py');
  else if (data.missing.length > 0) text('prepare.py', missingData(plan));
  copyOracle(plan, dir);
}

function evaluatorOrder(plan: TaskPlan) {
  return {
    script: plan.entry,
    arguments: plan.arguments,
    output: plan.output,
    metrics: plan.metrics.metrics.map(({ key }) => key),
    seeded: seededModules(plan.imports.packages),
    submitted: [...plan.submission.files, ...plan.submission.optional, ...plan.submission.folders],
    shared: plan.kind === 'program',
  };
}

/** For a person who prepares the task, or submits it without data. */
function missingData(plan: TaskPlan): string {
  const { data, task } = plan;
  const maker = data.maker === null ? '' : ` ${data.maker} of the checkout makes them.`;
  const generate = task.id === '3SATTime' ? '; or import it again and let bench make as good ones' : '';
  const message = `the data of this task are neither in the checkout nor in the given folder.${maker} Put them at ${data.places.join(', ')} and import ${task.id} again, with their folder and in place of this task${generate}.`;
  return `"""Stands in for data that were not there when the task was imported."""\n\n\ndef prepare(data):\n    raise SystemExit(${JSON.stringify(message)})\n`;
}

/** bench's own solution fits if its files are exactly this task's submission. */
function copyOracle({ own, submission }: TaskPlan, dir: string): void {
  const oracle = own === null ? '' : join(own.dir, 'oracle');
  if (own === null || own.spec.oracle !== undefined || !existsSync(oracle)) return;
  const files = folderFiles(oracle).map(({ path }) => path);
  const fits = files.length > 0 && files.every((path) => submission.files.includes(path));
  if (fits) cpSync(oracle, join(dir, 'oracle'), { recursive: true });
}
