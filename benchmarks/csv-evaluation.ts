import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvaluationJob } from '../domain/ports/evaluator-port.js';
import { taskSchema } from '../domain/task/task.js';

const ROWS = 10_000;
const REFEREE = `
from bench_tasks.files import Integer, Text

COLUMNS = {"id": Text(20), "label": Integer(0, 9)}


def evaluate(files):
    truth = files.secret_csv("labels.csv", COLUMNS)
    table = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    right = sum(a == b for a, b in zip(table["label"], truth["label"]))
    return {"accuracy": right / len(truth["id"])}
`;

const table = (label: (row: number) => number): string =>
  ['id,label', ...Array.from({ length: ROWS }, (_, row) => `p${row},${label(row)}`), ''].join('\n');

/** Scores 10,000 predicted labels, half of them right. Writes the task into `folder`. */
export function csvJob(folder: string, id: string): EvaluationJob {
  mkdirSync(join(folder, 'evaluator'), { recursive: true });
  writeFileSync(join(folder, 'evaluator/referee.py'), REFEREE);
  writeFileSync(
    join(folder, 'evaluator/labels.csv'),
    table((row) => row % 10),
  );
  const task = taskSchema.parse({
    schema: 1,
    id: 'labels',
    name: 'Ten thousand labels',
    contract: 1,
    domain: 'benchmark',
    description: 'Ten thousand labels.',
    metrics: { accuracy: { direction: 'maximize', description: 'share of right labels' } },
    primary: 'accuracy',
    submission: { files: ['submission.csv'] },
    evaluator: { kind: 'data' },
  });
  const bytes = Buffer.from(table((row) => (row % 2 === 0 ? row % 10 : (row + 1) % 10)));
  return {
    id,
    task,
    taskDir: folder,
    submission: [{ path: 'submission.csv', bytes }],
    split: 'test',
    seed: 'ab12',
  };
}
