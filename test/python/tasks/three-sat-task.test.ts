import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python, SampleTask, tasksFolder } from './sample-task.js';
import { LONG } from '../../setup/long.js';

const folder = join(tasksFolder, '3SATTime');
let sample: SampleTask;
beforeAll(async () => {
  sample = await SampleTask.make('3SATTime');
});
afterAll(() => sample.remove());

/** Play the referee in one process on every `step`-th instance of a hidden file. */
const evaluate = (heuristic: string, change = '', step = 8) =>
  python(
    join(folder, 'evaluator'),
    `
import os, tempfile, time, referee
all_seconds = time.process_time
sys.path.insert(0, ${JSON.stringify(folder)})
lines = open(${JSON.stringify(join(sample.data.dir, 'hidden', 'test.jsonl'))}).read().splitlines()[::${step}]
instances = [json.loads(line) for line in lines]
${change}
place = tempfile.TemporaryDirectory()
os.chdir(place.name)
open("test.jsonl", "w").write("\\n".join(json.dumps(instance) for instance in instances))
${heuristic}
class Invalid(Exception): pass
class Player:
    split, context = "test", ""
    def start(self): pass
    def cpu_seconds(self): return all_seconds()
    def ask(self, *arguments): return json.loads(json.dumps(heuristic_fn(*arguments)))
    def invalid(self, message): return Invalid("%s: %s" % (self.context, message))
try:
    result = referee.evaluate(Player())
except Invalid as error:
    result = {"invalid": str(error)}
os.chdir("/")
print(json.dumps(result))`,
  ) as Promise<{
    Time: number;
    Measured: number;
    Correct: number;
    Incorrect: number;
    Decisions: number;
    invalid?: string;
  }>;
const of = (file: string) => `exec(open(${JSON.stringify(join(folder, file, 'heuristic.py'))}).read(), globals())`;

/**
 * A clock of CPU time: one unit per propagation, and `beside` for the submission's other work; the
 * yardstick's own may be slower.
 */
const onMachine = ({
  secondsEach,
  beside = 0,
  slower = 1,
}: {
  secondsEach: number;
  beside?: number;
  slower?: number;
}) => `
work = {"referee": 0, "submission": 0}
class Solver(referee.Solver):
    def propagated(self, *arguments):
        work["referee"] += ${slower} if self.choose is referee.first_free else 1
        work["submission"] += ${beside} * (self.choose is referee.first_free)
        return super().propagated(*arguments)
referee.Solver = Solver
class Clock:
    process_time = lambda: work["referee"] * ${secondsEach}
referee.time = Clock
def all_seconds(): return sum(work.values()) * ${secondsEach}
`;

describe('the instances', () => {
  it('are the same on every machine', () => {
    expect(sample.data.hash).toBe('4c84c13c363dcb85be43d7a27359d0212031e00c8db81257093f6db40957e338');
  });

  it('are of 80 kinds, 30 each, with three different variables per clause, and as often soluble as is known', async () => {
    const found = (await python(
      join(sample.data.dir, 'hidden'),
      `
from collections import Counter
from itertools import product
kinds, soluble, wrong, flaws = Counter(), 0, 0, 0
for number, line in enumerate(open("validation.jsonl")):
    instance = json.loads(line)
    n, clauses = instance["variables"], instance["clauses"]
    kinds[n, len(clauses)] += 1
    soluble += instance["satisfiable"]
    flaws += any(len({abs(literal) for literal in clause}) != 3 or not all(1 <= abs(l) <= n for l in clause) for clause in clauses)
    if n < 6:
        truth = any(all(any((l > 0) == values[abs(l) - 1] for l in c) for c in clauses) for values in product((0, 1), repeat=n))
        wrong += truth != instance["satisfiable"]
print(json.dumps({"kinds": sorted(kinds), "each": sorted(set(kinds.values())), "soluble": soluble, "wrong": wrong, "flaws": flaws}))`,
    )) as { kinds: number[][]; each: number[]; soluble: number; wrong: number; flaws: number };
    const kinds = [3, 4, 5, 6, 7, 8, 9, 10].flatMap((n) =>
      [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((ratio) => [n, n * ratio]),
    );
    expect(found.kinds).toEqual(kinds);
    expect(found).toMatchObject({ each: [30], wrong: 0, flaws: 0 });
    // 42.8 % in the known set; a standard error of 1 %.
    expect(Math.abs(found.soluble / 2400 - 0.428)).toBeLessThan(0.03);
  });
});

describe('the solver', () => {
  // Without it, the baseline below is measured on all instances.
  it.runIf(LONG)(
    'takes 3.6 decisions per instance with the starter, a quarter less with the oracle, and never errs',
    async () => {
      const starter = await evaluate(of('starter'), '', 2);
      expect(starter).toMatchObject({ Correct: 1200, Incorrect: 0 });
      expect(Math.abs(starter.Decisions / 1200 - 3.6)).toBeLessThan(0.1);
      const oracle = await evaluate(of('oracle'), '', 2);
      expect(oracle).toMatchObject({ Correct: 1200, Incorrect: 0 });
      expect(oracle.Decisions / starter.Decisions).toBeLessThan(0.8);
      expect(oracle.Time).toBeGreaterThan(0);
    },
  );

  it('is led the same way by the oracle where conflict_count names only variables with conflicts, as in an imported task', async () => {
    const sparse = `
told = heuristic_fn
def heuristic_fn(clauses, assignments, conflict_count, *rest):
    return told(clauses, assignments, {name: count for name, count in conflict_count.items() if count}, *rest)`;
    const { Decisions } = await evaluate(of('oracle'));
    expect(await evaluate(of('oracle') + sparse)).toMatchObject({ Correct: 300, Incorrect: 0, Decisions });
  });

  it('ranks by decisions: those of the starter on all instances are the stated baseline', async () => {
    const { primary, metrics, baseline } = sample.task.spec;
    expect([primary, metrics[primary]?.direction]).toEqual(['Decisions', 'minimize']);
    expect((await evaluate(of('starter'), '', 1)).Decisions).toBe(baseline?.sample?.value);
  });

  it('counts the same decisions on a slow machine as on a fast one, and when its yardstick is disturbed', async () => {
    const found = await Promise.all(
      [
        { secondsEach: 0.001 },
        { secondsEach: 0.003 },
        // The submission slows the yardstick, which once made its own time look shorter.
        { secondsEach: 0.001, slower: 3 },
      ].map((machine) => evaluate(of('starter'), onMachine(machine))),
    );
    expect(found[2]!.Time).toBeLessThan(0.7 * found[0]!.Time);
    expect(new Set(found.map(({ Decisions }) => Decisions)).size).toBe(1);
    const { primary } = sample.task.spec;
    expect(new Set(found.map((metrics) => metrics[primary as 'Decisions'])).size).toBe(1);
  });

  it('tells the same time on a slow machine as on a fast one, and what it took there', async () => {
    const [fast, slow] = await Promise.all(
      [0.001, 0.003].map((secondsEach) => evaluate(of('starter'), onMachine({ secondsEach }))),
    );
    expect(slow!.Time).toBeCloseTo(fast!.Time, 9);
    expect(slow!.Measured).toBeCloseTo(3 * fast!.Measured, 9);
    expect((await evaluate(of('oracle'), onMachine({ secondsEach: 0.003 }))).Time).toBeLessThan(slow!.Time);
  });

  it('counts what a submission computes while the yardstick is laid', async () => {
    const [idle, busy] = await Promise.all(
      [0, 1].map((beside) => evaluate(of('starter'), onMachine({ secondsEach: 0.001, beside }))),
    );
    expect(busy!.Time).toBeGreaterThan(1.5 * idle!.Time);
  });

  it('counts wrong answers', async () => {
    const change = 'for instance in instances[:3]: instance["satisfiable"] = not instance["satisfiable"]';
    expect(await evaluate(of('starter'), change)).toMatchObject({ Correct: 297, Incorrect: 3 });
  });

  it('shows the heuristic what the prompt says: unsatisfied clauses, counts, history and levels', async () => {
    const heuristic = `
def heuristic_fn(clauses, assignments, conflict_count, assignment_history, level):
    true = {variable if value else -variable for variable, value in assignments.items()}
    assert clauses and not any(true & set(clause) for clause in clauses)
    assert all(sum(-literal in true for literal in clause) < 2 for clause in clauses)
    assert sorted(conflict_count) == list(range(1, len(conflict_count) + 1))
    assert sorted(sum(level, [])) == sorted(assignments)
    assert set(assignments) <= set(assignment_history)
    return min(abs(literal) for clause in clauses for literal in clause if abs(literal) not in assignments), False`;
    expect(await evaluate(heuristic)).toMatchObject({ Correct: 300, Incorrect: 0 });
  });

  it('rejects any answer but an unassigned variable with True or False, and says at which instance', async () => {
    const answers = [
      'None, True',
      '11, True',
      '-1, True',
      'next(iter(assignments), 1), True',
      '1, 1',
      '(1,)',
      '"1", True',
    ];
    const found = await Promise.all(
      answers.map((answer) =>
        evaluate(
          `
def heuristic_fn(clauses, assignments, conflict_count, assignment_history, level):
    return ${answer}`,
          '',
          24,
        ),
      ),
    );
    const variable = / is not an unassigned variable$/;
    const form = /expected \(variable, True or False\), got/;
    for (const [index, message] of [form, variable, variable, variable, form, form, form].entries()) {
      expect(found[index]?.invalid).toMatch(/^instance \d+: /);
      expect(found[index]?.invalid).toMatch(message);
    }
  });

  it('is the same one in the workspace', () => {
    const solver = (file: string) => /^class Solver:.*/ms.exec(readFileSync(join(folder, file), 'utf8'))?.[0];
    expect(solver('starter/solver.py')).toBe(solver('evaluator/referee.py'));
  });
});
