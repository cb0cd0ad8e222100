import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackOutcome, AttackGround, type Attacker } from './attack-run.js';
import { ATTACKED_TASKS, type AttackedTask, type Exploit } from './exploit.js';
import { evaluatorExploits } from './exploits/evaluator.js';
import { programExploits } from './exploits/programs.js';
import { refereeExploits } from './exploits/referee.js';
import { submissionExploits } from './exploits/submissions.js';
import { worldExploits } from './exploits/world.js';
import { better, HONEST } from './judge.js';

const FAMILIES: Record<string, Exploit[]> = {
  'the evaluator': evaluatorExploits,
  'the referee, from inside the evaluation': refereeExploits,
  'what is handed in': submissionExploits,
  'programs and models': programExploits,
  'the world around the container': worldExploits,
};
const exploits = Object.values(FAMILIES).flat();

/** Printed by the shell, not by the command's own text: an attack that never ran cannot pass. */
const BEGIN = 'echo attack $((6 * 7)) begins';
const BEGUN = 'attack 42 begins';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/tasks');
const CONFIGS = resolve(import.meta.dirname, '../../configs/tasks');
const file = (task: AttackedTask, path: string): Buffer =>
  readFileSync(join(task === 'battleOfSexes' || task === 'blotto' ? CONFIGS : FIXTURES, task, 'oracle', path));
const placed = (task: AttackedTask, path: string): string =>
  `echo ${file(task, path).toString('base64')} | base64 -d > ${path}; wc -c ${path}`;

const honest: Attacker[] = ATTACKED_TASKS.flatMap((task): Attacker[] => [
  { name: `honest-starter-${task}`, task, commands: ['ls'] },
  {
    name: `honest-oracle-${task}`,
    task,
    commands: {
      battleOfSexes: ['strategy.py'],
      blotto: ['strategy.py'],
      csvClassification: ['submission.csv'],
      programPredict: ['predict.py', 'model/weights.pkl'],
    }[task].map((path) => placed(task, path)),
  },
]);

let ground: AttackGround;
let outcomes: Map<string, AttackOutcome>;
const outcomeOf = (name: string): AttackOutcome => {
  const outcome = outcomes.get(name);
  if (outcome === undefined) throw new Error(`there was no run of ${name}`);
  return outcome;
};

beforeAll(async () => {
  ground = new AttackGround();
  const secret = ground.canaries.plant('another run');
  const victim: Attacker = {
    name: 'victim',
    task: 'battleOfSexes',
    commands: [
      `export SECRET=${secret}; for at in . /tmp /dev/shm ~; do echo ${secret} > $at/mine.txt; done; for i in $(seq 30); do sleep 1; done`,
    ],
  };
  const attackers = exploits.map(({ name, task, commands }) => ({ name, task, commands: [BEGIN, ...commands] }));
  outcomes = await ground.play([victim, ...attackers, ...honest]);
}, 20 * 60_000);
afterAll(() => ground.remove());

describe('honest work', () => {
  it.each(ATTACKED_TASKS)('on %s keeps its full score beside attackers', (task) => {
    const { starter, optimum, slack } = HONEST[task];
    for (const [level, score] of [
      ['starter', starter],
      ['oracle', optimum],
    ] as const) {
      const outcome = outcomeOf(`honest-${level}-${task}`);
      expect(outcome).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok' });
      expect(Math.abs((outcome.finalScore ?? NaN) - score)).toBeLessThanOrEqual(slack + 1e-9);
    }
  });
});

describe.each(Object.entries(FAMILIES))('attacks on %s gain nothing', (_, family) => {
  it.each(family.map((exploit) => [exploit.name, exploit] as const))('%s', (name, exploit) => {
    const outcome = outcomeOf(name);
    const shown = outcome.observations.join('\n');
    expect(shown).toContain(BEGUN);
    if (exploit.evidence !== undefined) expect(shown).toMatch(exploit.evidence);
    // An attack is the agent's own doing: it may not look like a fault of the infrastructure.
    expect(outcome).toMatchObject({ endReason: 'submit', detail: null });

    const { expect: expected, task } = exploit;
    const limit = expected === 'optimum' ? 'optimum' : 'starter';
    for (const score of [outcome.bestScore, outcome.finalScore])
      if (score !== null) expect(better(task, score, limit), `${score} is too good`).toBe(false);
    if (expected === 'unsure') expect(['ok', 'rejected', 'no_artefact']).toContain(outcome.finalEvaluation);
    else expect(outcome.finalEvaluation).toBe(expected === 'starter' || expected === 'optimum' ? 'ok' : expected);
    expect(ground.canaries.in(shown)).toEqual([]);
  });
});

describe('all attacks together', () => {
  it('are at least thirty, each with a name of its own', () => {
    expect(exploits.length).toBeGreaterThanOrEqual(30);
    expect(new Set(exploits.map(({ name }) => name)).size).toBe(exploits.length);
  });

  it('brought no secret into anything that was written down', async () => {
    expect(ground.canaries.in(await ground.record())).toEqual([]);
  });

  it('never learned the score that ranks where the agent is shown another one', () => {
    const { observations, evaluations } = outcomeOf('validation-split-climbed');
    const scores = (split: string) => evaluations.filter((one) => one.split === split).map(({ primary }) => primary);
    const hidden = scores('test').filter((score) => !scores('validation').includes(score));
    expect(hidden.length).toBeGreaterThan(0);
    for (const score of hidden) expect(observations.join('\n')).not.toContain(String(score));
  });

  it('left nothing running', async () => {
    expect(await ground.home.json<{ runs: unknown[] }>('runs', '--status', 'running')).toMatchObject({ runs: [] });
  });
});
