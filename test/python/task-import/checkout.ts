import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';

/** Files of a folder, by path; a value that is no text is written as YAML. */
export function writeFiles(dir: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), typeof content === 'string' ? content : stringify(content));
  }
}

const EVALUATED = { evaluation_paths: ['evaluate.py'], evaluation_read_only: true, use_generic_conda: true };

const config = (id: string, more: object): object => ({
  id,
  name: `The task ${id}`,
  description: 'Do it.',
  task_entrypoint: 'CSVSubmissionTasks',
  starter_code: [`data/${id}/evaluate.py`],
  baseline_scores: [{ Score: 0.5 }],
  ...EVALUATED,
  ...more,
});

/** A game whose evaluator imports the strategy, and through a module of rules the opponent. */
const GAME: Record<string, unknown> = {
  'configs/tasks/guess.yaml': config('guess', {
    description: 'Guess. Edit `strategy.py`.\nA set: {{0, 1}}.',
    task_entrypoint: 'PythonSubmissionTasks',
    training_timeout: 60,
    starter_code: ['data/guess/strategy.py', 'data/guess/evaluate.py', 'data/guess/rules.py', 'data/guess/target.py'],
    baseline_paths: ['evaluate.py'],
  }),
  'data/guess/strategy.py': 'import random\n\n\ndef guess(round):\n    return random.randrange(2)\n',
  'data/guess/target.py': 'def answer(round):\n    return round % 2\n',
  'data/guess/rules.py': 'from target import answer\n\n\ndef right(round, guess):\n    return guess == answer(round)\n',
  'data/guess/evaluate.py':
    'import json\nimport strategy\nfrom rules import right\n\nfound = [right(i, strategy.guess(i)) for i in range(1000)]\nprint(json.dumps({"Score": sum(found) / 1000, "Rounds": 1000}))\n',
};

/** A table whose evaluator names the answers by their place in MLGym's containers. */
const TABLE: Record<string, unknown> = {
  'configs/tasks/table.yaml': config('table', {
    description: 'Label the rows.\n{dataset_docs}\nIn {{braces}}.',
    dataset_configs: ['datasets/table.yaml'],
    starter_code: ['data/table/baseline.py', 'data/table/evaluate.py', 'data/table/sample_submission.csv'],
    baseline_paths: ['baseline.py'],
    baseline_scores: [{ Accuracy: 0.5 }],
  }),
  'configs/tasks/tableL1.yaml': config('table', {
    dataset_configs: ['datasets/table.yaml'],
    starter_code: ['data/table/evaluate.py'],
    baseline_scores: [{ Accuracy: 0.5 }],
  }),
  'configs/datasets/table.yaml': {
    name: 'Rows',
    description: 'Rows with {{ labels }}.',
    data_path: 'data/table/data',
    is_local: true,
  },
  'data/table/baseline.py':
    'open("submission.csv", "w").write("id,label\\n" + "".join("%d,0\\n" % i for i in range(10)))\n',
  'data/table/sample_submission.csv': rows((id) => id % 2),
  'data/table/data/train.csv': 'id,label\n100,0\n101,1\n',
  'data/table/data/test.csv': `id\n${Array.from({ length: 10 }, (_, id) => `${id}\n`).join('')}`,
  'data/table/data/answer.csv': rows((id) => id % 2),
  'data/table/evaluate.py':
    'import argparse\nimport csv\nimport json\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--submission_file")\nread = lambda path: [row["label"] for row in csv.DictReader(open(path))]\ntruth = read("/home/agent/workspace/data/answer.csv")\nfound = read(parser.parse_args().submission_file)\nassert len(found) == len(truth), "expected %d rows" % len(truth)\nprint(json.dumps({"accuracy": sum(a == b for a, b in zip(found, truth)) / len(truth)}))\n',
};

/** Checkpoints, of which the evaluator is told the config. */
const MODEL: Record<string, unknown> = {
  'configs/tasks/model.yaml': config('model', {
    task_entrypoint: 'ModelSubmissionTasks',
    starter_code: ['data/model/src', 'data/model/evaluate.py'],
    baseline_paths: ['src/train.py'],
    baseline_scores: [{ 'Reward Mean': 1 }],
  }),
  'data/model/src/config.yaml': 'size: 1\n',
  'data/model/src/network.py': 'def load(path):\n    return float(open(path).read())\n',
  'data/model/src/train.py':
    'import os\n\nos.makedirs("checkpoints")\nopen("checkpoints/config-0.txt", "w").write("1.5")\n',
  'data/model/evaluate.py':
    'import glob\nimport json\nimport os\nimport sys\nfrom src.network import load\n\nprint("loading")\nstem = os.path.basename(sys.argv[2]).split(".")[0]\nprint(json.dumps({"Reward Mean": sum(map(load, glob.glob("checkpoints/%s-*" % stem)))}))\n',
};

/** Tasks that cannot be imported as they are. */
const OTHERS: Record<string, unknown> = {
  'configs/tasks/hub.yaml': config('hub', { dataset_configs: ['datasets/hub.yaml'] }),
  'configs/datasets/hub.yaml': {
    name: 'Hub',
    description: 'far away',
    data_path: 'someone/something',
    is_local: false,
  },
  'data/hub/evaluate.py': 'print("{}")\n',
  'configs/tasks/language.yaml': config('language', { task_entrypoint: 'LMSubmissionTasks' }),
  'data/language/evaluate.py': 'print("{}")\n',
  'configs/tasks/dead.yaml': config('dead', { task_entrypoint: 'BaseMLTask', dataset_configs: ['datasets/none.yaml'] }),
  'configs/tasks/absent.yaml': config('absent', { dataset_configs: ['datasets/absent.yaml'] }),
  'configs/datasets/absent.yaml': {
    name: 'Absent',
    description: 'not here',
    data_path: 'data/absent/data',
    is_local: true,
  },
  'data/absent/evaluate.py': 'print("Score")\n',
  'data/absent/_helpers/split.py': '',
  'configs/tasks/heavy.yaml': config('heavy', {
    requirements_path: 'data/heavy/requirements.txt',
    use_generic_conda: false,
  }),
  'data/heavy/evaluate.py': 'import torch\nprint("Score")\n',
  'data/heavy/requirements.txt': 'torch\n',
  'configs/tasks/race.yaml': config('race', { baseline_scores: [{ Time: 20 }] }),
  'data/race/evaluate.py': 'print("Time")\n',
  'configs/tasks/mystery.yaml': config('mystery', { baseline_scores: [{ Wobble: 3 }] }),
  'data/mystery/evaluate.py': 'print({"Wobble": 3})\n',
  'configs/tasks/unreadable.yaml': 'id: unreadable\nname: [\n',
};

function rows(label: (id: number) => number): string {
  return `id,label\n${Array.from({ length: 10 }, (_, id) => `${id},${label(id)}\n`).join('')}`;
}

/** A small checkout in MLGym's form. */
export function writeCheckout(dir: string): void {
  writeFiles(dir, { ...GAME, ...TABLE, ...MODEL, ...OTHERS });
}

/** As `data/table/data/answer.csv` has them, or as they are not. */
export const tableAnswers = (right: boolean): string => rows((id) => (right ? id % 2 : 1 - (id % 2)));
