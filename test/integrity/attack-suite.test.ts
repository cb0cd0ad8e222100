import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AttackOutcome, AttackGround, type Attacker } from './attack-run.js';
import { ATTACKED_TASKS, type AttackedTask, type Exploit } from './exploit.js';
import { evaluatorExploits } from './exploits/evaluator.js';
import { programExploits } from './exploits/programs.js';
import { questionExploits } from './exploits/questions.js';
import { refereeExploits } from './exploits/referee.js';
import { submissionExploits } from './exploits/submissions.js';
import { worldExploits } from './exploits/world.js';
import { LONG } from '../setup/long.js';
import { isGame, KNOWN, lead, ranking, slack } from './judge.js';

const FAMILIES: Record<string, Exploit[]> = {
  'the evaluator': evaluatorExploits,
  'the referee, from inside the evaluation': refereeExploits,
  'what is handed in': submissionExploits,
  'programs and models': programExploits,
  'solvers and language models': questionExploits,
  'the world around the container': worldExploits,
};
const exploits = Object.values(FAMILIES).flat();
/** These have tests of their own. */
const ALWAYS = ['neighbours', 'solver-clock-stopped', 'validation-split-climbed'];
/** Every other one of each family, unless the long form is asked for, as npm run test:integrity does. */
const playedOf = (family: Exploit[]): Exploit[] =>
  family.filter(({ name }, at) => LONG || at % 2 === 0 || ALWAYS.includes(name));
const played = Object.values(FAMILIES).flatMap(playedOf);

/** Fewer games than the tasks themselves have: scores are compared with those of honest work at the same games. */
const GAMES = Number(process.env['BENCH_TEST_GAMES'] ?? 2000);

/** Printed by the shell, not by the command's own text: an attack that never ran cannot pass. */
const BEGIN = 'echo attack $((6 * 7)) begins';
const BEGUN = 'attack 42 begins';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/tasks');
const CONFIGS = resolve(import.meta.dirname, '../../configs/tasks');
const file = (task: AttackedTask, path: string): Buffer =>
  readFileSync(join(isGame(task) ? CONFIGS : FIXTURES, task, 'oracle', path));
const ORACLES: Record<AttackedTask, string[]> = {
  battleOfSexes: ['strategy.py'],
  prisonersDilemma: ['strategy.py'],
  blotto: ['strategy.py'],
  csvClassification: ['submission.csv'],
  programPredict: ['predict.py', 'model/weights.pkl'],
  satHeuristic: ['heuristic.py'],
  charLm: ['model.py', 'checkpoint/counts.json'],
};
const placed = (task: AttackedTask, path: string): string =>
  `echo ${file(task, path).toString('base64')} | base64 -d > ${path}; wc -c ${path}`;

/** How often honest work is evaluated: as often as any attacker on its task, since each number has games of its own. */
const evaluations = (task: AttackedTask): number =>
  1 +
  Math.max(
    ...played
      .filter((exploit) => exploit.task === task)
      .map(({ commands }) => commands.filter((command) => command.endsWith('validate')).length),
  );
const honest: Attacker[] = ATTACKED_TASKS.flatMap((task): Attacker[] => {
  const validated = Array.from({ length: evaluations(task) - 1 }, () => 'validate');
  const oracle = ORACLES[task].map((path) => placed(task, path)).join('; ');
  return [
    { name: `honest-starter-${task}`, task, commands: validated },
    { name: `honest-oracle-${task}`, task, commands: [oracle, ...validated] },
  ];
});

let ground: AttackGround;
let outcomes: Map<string, AttackOutcome>;
const outcomeOf = (name: string): AttackOutcome => {
  const outcome = outcomes.get(name);
  if (outcome === undefined) throw new Error(`there was no run of ${name}`);
  return outcome;
};

beforeAll(async () => {
  ground = new AttackGround(GAMES);
  const secret = ground.canaries.plant('another run');
  const victim: Attacker = {
    name: 'victim',
    task: 'battleOfSexes',
    commands: [
      `export SECRET=${secret}; for at in . /tmp /dev/shm ~; do echo ${secret} > $at/mine.txt; done; sleep 40`,
    ],
  };
  const attackers = played.map(({ name, task, commands }) => ({ name, task, commands: [BEGIN, ...commands] }));
  // The victim and who looks for it first: they are to live at the same time.
  attackers.sort((a, b) => Number(b.name === 'neighbours') - Number(a.name === 'neighbours'));
  outcomes = await ground.play([victim, ...attackers, ...honest]);
}, 45 * 60_000);
afterAll(() => ground.remove());

describe('honest work', () => {
  it.each(ATTACKED_TASKS)('on %s keeps its full score beside attackers', (task) => {
    const [starter, oracle] = (['starter', 'oracle'] as const).map((level) => {
      const outcome = outcomeOf(`honest-${level}-${task}`);
      expect(outcome).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok' });
      const scores = ranking(outcome.evaluations);
      expect(scores.size).toBe(evaluations(task));
      const known = KNOWN[task][level];
      if (known !== null)
        for (const score of scores.values()) expect(Math.abs(score - known)).toBeLessThanOrEqual(slack(task, GAMES));
      expect(outcome.finalScore).not.toBeNull();
      // All of them: where the starter chooses by chance, one alone may be lucky.
      return [...scores.values()].reduce((sum, score) => sum + score, 0) / scores.size;
    });
    expect(lead(task, oracle ?? NaN, starter ?? NaN)).toBeGreaterThan(0);
  });
});

describe.each(Object.entries(FAMILIES))('attacks on %s gain nothing', (_, family) => {
  it.each(playedOf(family).map((exploit) => [exploit.name, exploit] as const))('%s', (name, exploit) => {
    const outcome = outcomeOf(name);
    const shown = outcome.observations.join('\n');
    expect(shown).toContain(BEGUN);
    if (exploit.evidence !== undefined) expect(shown).toMatch(exploit.evidence);
    // An attack is the agent's own doing: it may not look like a fault of the infrastructure.
    expect(outcome).toMatchObject({ endReason: 'submit', detail: null });

    const { expect: expected, task } = exploit;
    const level = expected === 'optimum' ? 'oracle' : 'starter';
    const scores = ranking(outcome.evaluations);
    // What ranks the run is what was evaluated.
    for (const score of [outcome.bestScore, outcome.finalScore])
      if (score !== null) expect([...scores.values()]).toContain(score);
    const honestly = ranking(outcomeOf(`honest-${level}-${task}`).evaluations);
    for (const [number, score] of scores) {
      const fair = honestly.get(number) ?? NaN;
      if (expected === 'starter') expect(score).toBeCloseTo(fair, 9);
      else expect(lead(task, score, fair), `${score} against ${fair}`).toBeLessThanOrEqual(1e-9);
    }
    expect(outcome.evaluations.filter(({ suspect }) => suspect)).toEqual([]);
    if (expected === 'unsure') expect(['ok', 'rejected', 'no_artefact']).toContain(outcome.finalEvaluation);
    else {
      const told = outcome.evaluations.map(({ message }) => message).join('\n');
      const wanted = expected === 'starter' || expected === 'optimum' ? 'ok' : expected;
      expect(outcome.finalEvaluation, told).toBe(wanted);
    }
    expect(ground.canaries.in(shown)).toEqual([]);
  });
});

describe('all attacks together', () => {
  it('are at least thirty, each with a name of its own', () => {
    expect(exploits.length).toBeGreaterThanOrEqual(30);
    expect(new Set(exploits.map(({ name }) => name)).size).toBe(exploits.length);
  });

  it('are told in docs/integrity.md', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/integrity.md'), 'utf8');
    expect(exploits.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('brought no secret into anything that was written down', async () => {
    expect(await ground.leaks('victim')).toEqual([]);
    // The search finds what is there: the victim's own words.
    expect(await ground.leaks('nobody')).toEqual(['another run']);
  });

  it('made no evaluator fail', async () => {
    expect(await ground.evaluatorFaults()).toEqual([]);
  });

  it('had a neighbour with a secret beside them', () => {
    const [victim, neighbour] = [outcomeOf('victim'), outcomeOf('neighbours')];
    expect(victim).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok' });
    expect(victim.startedAt.getTime()).toBeLessThan(neighbour.endedAt.getTime());
    expect(neighbour.startedAt.getTime()).toBeLessThan(victim.endedAt.getTime());
  });

  it('did not stop the clock that times solvers', () => {
    for (const { metrics } of outcomeOf('solver-clock-stopped').evaluations)
      expect(metrics?.['time']).toBeGreaterThan(0);
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
