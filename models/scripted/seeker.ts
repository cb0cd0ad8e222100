import { BenchError } from '../../domain/errors.js';
import type { TaskSpec } from '../../domain/task/task.js';
import { randomIndexes } from '../../domain/statistics/random-index.js';
import { oracleCommands } from './oracle.js';
import { type Policy, type PolicyView, reply } from './policy.js';

const FIRST = { least: 0.1, more: 0.3 };
/** An idea changes the share by −0.3 to +0.2: most of them hurt. */
const IDEA = { least: -0.3, more: 0.5 };
/** One idea in so many leaves something that cannot be scored. */
const BROKEN = 6;

/** By function called: code that makes answers correct with chance P. */
const MIXED: Readonly<Record<string, string>> = {
  act: `

def act(*call):
    actions = np.array(_best(*call))
    actions[_coin.random(len(actions)) >= P] = 0
    return actions
`,
  next_logits: `

def next_logits(*call):
    rows = _best(*call)
    return np.log(P * np.exp(rows) + (1 - P) / rows.shape[1])
`,
};

/** For other functions: the starter's answer instead of the solution's. */
const mixedWithStarter = (name: string): string => `

def ${name}(*call):
    answers = _best(*call), _starter["${name}"](*call)
    return answers[_coin.random() >= P]
`;

/** Python that replaces rows of the solution by those of known/baseline.csv, or the row before. */
const mixedRows = (file: string): string => `
lines = open("${file}", newline="").read().splitlines(keepends=True)
try:
    other = open("known/baseline.csv", newline="").read().splitlines(keepends=True)
except FileNotFoundError:
    other = lines[:1] + lines[-1:] + lines[1:-1]
coin = random.Random(seed)
mixed = [lines[0]] + [best if coin.random() < p else rest for best, rest in zip(lines[1:], other[1:])]
open("${file}", "w", newline="").write("nothing that could be scored\\n" if broken else "".join(mixed))
`;

const mixedAnswers = (module: string, name: string): string => `
text = open("known/solution/${module}.py").read() + f"\\n\\nP = {p}\\n_best = ${name}\\n"
tail = ${JSON.stringify(MIXED[name] ?? mixedWithStarter(name))}
if "_starter" in tail:
    text += f"import random\\n\\n_coin = random.Random({seed})\\n_starter = {{}}\\nexec({open('known/starter.py').read()!r}, _starter)\\n"
else:
    text += f"import numpy as np\\n\\n_coin = np.random.default_rng({seed})\\n"
open("${module}.py", "w").write(text + tail + (")" if broken else ""))
`;

/** Puts the solution into known/, with the starter's output. */
function solved(view: PolicyView, { baseline, submission, evaluator }: TaskSpec): string {
  const { commands } = oracleCommands(view);
  const parts = [...submission.files, ...(submission.folders ?? [])].join(' ');
  const starter = 'module' in evaluator ? [`cp ${evaluator.module}.py known/starter.py`] : [];
  const made =
    'module' in evaluator || baseline === undefined
      ? []
      : [baseline.command, `cp ${submission.files[0] ?? ''} known/baseline.csv`];
  return ['mkdir -p known/solution', ...starter, ...made, ...commands, `cp -r --parents ${parts} known/solution/`].join(
    '\n',
  );
}

const numberOf = (text: string): number =>
  [...text].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 1_000_003, 0);

function tried(view: PolicyView, task: TaskSpec): string {
  const { evaluator, submission } = task;
  // Other ideas for another task of the batch.
  const seed = (view.seed ?? 0) + view.stepsTaken + numberOf(task.id);
  const draw = randomIndexes(seed);
  const share = (of: { least: number; more: number }): string => (of.least + (of.more * draw(1000)) / 1000).toFixed(3);
  const [first, idea] = [share(FIRST), share(IDEA)];
  const broken = draw(BROKEN) === 0;
  const mix =
    'module' in evaluator ? mixedAnswers(evaluator.module, evaluator.function) : mixedRows(submission.files[0] ?? '');
  return `set -e
if [ ! -d known/solution ]; then
${solved(view, task)}
fi
cp -r known/solution/. .
python3 - <<'END_OF_IDEA'
import os
import random

seed, broken = ${seed}, ${broken ? 'True' : 'False'}
if os.path.exists("known/share"):
    p = float(open("known/share").read()) + ${idea}
else:
    p = ${first}
p = round(min(1, max(0, p)), 3)
open("known/share", "w").write(str(p))
${mix}
print("share", p)
END_OF_IDEA`;
}

/** A stand-in for a model whose ideas must be tried: plays a changing share of the solution. */
export const seeker: Policy = (view) => {
  const { task } = oracleCommands(view);
  if (!('module' in task.evaluator) && !(task.submission.files[0] ?? '').endsWith('.csv'))
    throw new BenchError(
      'usage',
      `scripted:seeker cannot play ${task.id}: it changes functions and CSV tables alone.`,
      {
        code: 'model.unsuitable',
        remedy: 'Leave out the task, or take scripted:oracle.',
      },
    );
  return view.stepsTaken % 2 === 0
    ? reply('Another idea.', `(\n${tried(view, task)}\n)`)
    : reply('What is it worth?', 'validate');
};
