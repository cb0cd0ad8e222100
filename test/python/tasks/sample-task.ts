import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync, cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { prepareTask } from '../../../operations/tasks/prepare/prepare-task.js';
import { homeLayout } from '../../../domain/home/layout.js';
import type { PreparedData } from '../../../domain/task/data.js';
import type { Split, TaskFolder } from '../../../domain/task/task.js';
import { loadTask } from '../../../catalog/index.js';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
export const tasksFolder = join(REPOSITORY, 'configs', 'tasks');

/** What a referee makes of a submission. */
export type Verdict = { metrics: Record<string, number> } | { rejected: string };

/** A task with sample data, made as `bench tasks prepare --sample` does, leak scan included. */
export class SampleTask {
  private constructor(
    readonly task: TaskFolder,
    readonly data: PreparedData,
    private readonly root: string,
  ) {}

  static async make(id: string): Promise<SampleTask> {
    const root = mkdtempSync(join(tmpdir(), 'bench-test-sample-'));
    const task = loadTask([join(REPOSITORY, 'configs')], id);
    const data = await prepareTask(task, { layout: homeLayout(root), assetsRoot: REPOSITORY, sample: true });
    return new SampleTask(task, data, root);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Rows of a prepared table, the header left out. */
  rows(path: string): Record<string, string>[] {
    const [header = '', ...lines] = readFileSync(join(this.data.dir, path), 'utf8').trimEnd().split('\n');
    const names = header.split(',');
    return lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [names[index] ?? '', value])));
  }

  /** Play referee.py, of kind `data`, on submissions: files given by name. */
  async judge(...cases: { split: Split; files: Record<string, string> }[]): Promise<Verdict[]> {
    const place = mkdtempSync(join(this.root, 'judge-'));
    const secret = join(place, 'evaluator');
    cpSync(join(this.task.dir, 'evaluator'), secret, { recursive: true });
    cpSync(join(this.data.dir, 'hidden'), secret, { recursive: true });
    const orders = cases.map(({ split, files }, index) => {
      const answers = join(place, `answers-${index}`);
      mkdirSync(answers);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(answers, name), text);
      return { split, seed: '00'.repeat(16), answers, inputs: join(place, 'inputs') };
    });
    return (await python(
      secret,
      `
import referee
from bench_tasks.files import Files
from bench_tasks.rejected import Rejected
results = []
for order in json.loads(${JSON.stringify(JSON.stringify(orders))}):
    try:
        results.append({"metrics": referee.evaluate(Files(order))})
    except Rejected as rejected:
        results.append({"rejected": str(rejected)})
print(json.dumps(results))`,
    )) as Verdict[];
  }

  /** The metrics of one valid submission.csv. */
  async score(split: Split, submission: string): Promise<Record<string, number>> {
    const [verdict] = await this.judge({ split, files: { 'submission.csv': submission } });
    if (verdict === undefined || 'rejected' in verdict) throw new Error(verdict?.rejected ?? 'no verdict');
    return verdict.metrics;
  }
}

/** Run Python in a folder with the libraries of referee and prepare.py; returns its JSON. */
export async function python(cwd: string, code: string): Promise<unknown> {
  const places = [cwd, join(REPOSITORY, 'images', 'evaluator'), join(REPOSITORY, 'datasets')];
  const prelude = `import json, sys\nsys.dont_write_bytecode = True\nsys.path[:0] = ${JSON.stringify(places)}\n`;
  const { stdout } = await execa('python3', ['-c', prelude + code], { cwd });
  return JSON.parse(stdout);
}

/** The submission that answers `column` for each row, as CSV. */
export const table = (id: string, column: string, rows: readonly (readonly [string, string | number])[]): string =>
  [`${id},${column}`, ...rows.map((row) => row.join(','))].join('\n');
