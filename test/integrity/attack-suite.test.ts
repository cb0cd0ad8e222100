import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { testPodman } from '../setup/podman-engine.js';
import { type AttackOutcome, AttackGround, type Attacker } from './attack-run.js';
import { CLASSES } from './classes.js';
import { type AttackBackend, ATTACKED_TASKS, type AttackedTask, type Exploit } from './exploit.js';
import { evaluatorExploits } from './exploits/evaluator.js';
import { programExploits } from './exploits/programs.js';
import { questionExploits } from './exploits/questions.js';
import { refereeExploits } from './exploits/referee.js';
import { submissionExploits } from './exploits/submissions.js';
import { worldExploits } from './exploits/world.js';
import { attacksFromOutside } from './from-outside.js';
import { LONG } from '../setup/long.js';
import { drawsAnew, type Evaluation, isGame, KNOWN, lead, ranking, slack } from './judge.js';
import { notTested } from '../setup/not-tested.js';

const FAMILIES: Record<string, Exploit[]> = {
  'the evaluator': evaluatorExploits,
  'the referee, from inside the evaluation': refereeExploits,
  'what is handed in': submissionExploits,
  'programs and models': programExploits,
  'solvers and language models': questionExploits,
  'the world around the container': worldExploits,
  ...CLASSES,
};
const exploits = Object.values(FAMILIES).flat();
/** These have tests of their own. */
const ALWAYS = ['neighbours', 'validation-split-climbed'];
/** Each further task takes honest runs to compare with: the long form alone has them. */
const ORDINARY: readonly AttackedTask[] = ['battleOfSexes', 'csvClassification'];
/** The first of each family, except in the long form (npm run test:integrity). */
const playedOf = (family: Exploit[]): Exploit[] =>
  family.filter(({ name, task }, at) => LONG || ((at === 0 || ALWAYS.includes(name)) && ORDINARY.includes(task)));
const played = Object.values(FAMILIES).flatMap(playedOf);

/** Where attacks play: docker, and in the long form whatever else this machine has. */
const podman = await probeEngine(testPodman());
if (LONG && podman.kind !== 'ok') notTested('podman', podman.reason);
const there: Record<AttackBackend, boolean> = {
  docker: true,
  podman: LONG && podman.kind === 'ok',
  local: LONG && process.platform === 'linux' && process.getuid?.() === 0,
};
const backendsOf = ({ backends = ['docker'] }: Exploit): AttackBackend[] => backends.filter((name) => there[name]);
const on = (backend: AttackBackend, name: string): string => (backend === 'docker' ? name : `${name}-on-${backend}`);
/** The second run of an attack that has one. */
const later = (name: string): string => `${name}-again`;

/** Fewer games than the tasks' own: scores are compared with honest work at the same games. */
const GAMES = Number(process.env['BENCH_TEST_GAMES'] ?? 1000);

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
  hiddenDoors: ['policy.py'],
  arrayPredict: ['prediction.npz'],
};
const placed = (task: AttackedTask, path: string): string =>
  `echo ${file(task, path).toString('base64')} | base64 -d > ${path}; wc -c ${path}`;

/** Evaluations of honest work: where numbers have their own games, as many as any attacker's. */
const evaluations = (task: AttackedTask, backend: AttackBackend): number =>
  drawsAnew(task)
    ? 1 + Math.max(...comparedOn(backend, task).map(({ commands }) => commands.filter(validates).length))
    : 1;
const validates = (command: string): boolean => command.endsWith('validate');
const comparedOn = (backend: AttackBackend, task: AttackedTask): Exploit[] =>
  played.filter((one) => one.task === task && one.ownDraws !== true && backendsOf(one).includes(backend));
const ranked = (Object.keys(there) as AttackBackend[]).flatMap((backend) =>
  ATTACKED_TASKS.filter((task) => comparedOn(backend, task).length > 0).map((task) => ({ backend, task })),
);
const honest: Attacker[] = ranked.flatMap(({ backend, task }): Attacker[] => {
  const validated = Array.from({ length: evaluations(task, backend) - 1 }, () => 'validate');
  const oracle = ORACLES[task].map((path) => placed(task, path)).join('; ');
  return [
    { name: on(backend, `honest-starter-${task}`), task, backend, commands: ['ls', ...validated] },
    { name: on(backend, `honest-oracle-${task}`), task, backend, commands: [oracle, ...validated] },
  ];
});
const attackersOf = ({ name, task, commands, ownDraws, ...exploit }: Exploit): Attacker[] =>
  backendsOf({ name, task, commands, ...exploit }).map((backend) => ({
    ...{ name: on(backend, name), task, backend, ownDraws },
    commands: [BEGIN, ...commands],
  }));

let ground: AttackGround;
let outcomes: Map<string, AttackOutcome>;
const outcomeOf = (name: string): AttackOutcome => {
  const outcome = outcomes.get(name);
  if (outcome === undefined) throw new Error(`there was no run of ${name}`);
  return outcome;
};

beforeAll(async () => {
  ground = await AttackGround.of(GAMES);
  const secret = ground.canaries.plant('another run');
  const victim: Attacker = {
    name: 'victim',
    task: 'battleOfSexes',
    commands: [
      `export SECRET=${secret}; for at in . /tmp /dev/shm ~; do echo ${secret} > $at/mine.txt; done; sleep 40`,
    ],
  };
  const attackers = played.flatMap(attackersOf);
  // The victim and who looks for it first: they are to live at the same time.
  attackers.sort((a, b) => Number(b.name === 'neighbours') - Number(a.name === 'neighbours'));
  outcomes = await ground.play([victim, ...attackers, ...honest]);
  const sequels = played.flatMap((exploit) =>
    attackersOf(exploit).flatMap((first): Attacker[] => {
      const { sequel } = exploit;
      if (sequel === undefined) return [];
      return [{ ...first, name: later(first.name), commands: [BEGIN, ...sequel.commands(outcomeOf(first.name))] }];
    }),
  );
  outcomes = new Map([...outcomes, ...(await ground.play(sequels))]);
}, 45 * 60_000);
afterAll(() => ground.remove());

describe('honest work', () => {
  it.each(ranked)('on $task, $backend, keeps its full score beside attackers', ({ task, backend }) => {
    const [starter, oracle] = (['starter', 'oracle'] as const).map((level) => {
      const outcome = outcomeOf(on(backend, `honest-${level}-${task}`));
      expect(outcome).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', flags: [] });
      const scores = ranking(outcome.evaluations);
      expect(scores.size).toBe(evaluations(task, backend));
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

/** What honest work scored on the backend: at the same number, where that matters. */
function fairScore({ task, ownDraws }: Exploit, backend: AttackBackend, level: string, number: number): number {
  if (ownDraws === true) return NaN;
  const { evaluations } = outcomeOf(on(backend, `honest-${level}-${task}`));
  return ranking(evaluations).get(drawsAnew(task) ? number : 1) ?? NaN;
}

function judge(exploit: Exploit, backend: AttackBackend, outcome: AttackOutcome, evidence: RegExp | undefined): void {
  const shown = outcome.observations.join('\n');
  expect(shown).toContain(BEGUN);
  if (evidence !== undefined) expect(shown).toMatch(evidence);
  // An attack is the agent's own doing: it may not look like a fault of the infrastructure.
  expect(outcome).toMatchObject({ endReason: 'submit', detail: null });

  const { expect: expected, task, flagged } = exploit;
  const level = expected === 'optimum' ? 'oracle' : 'starter';
  const scores = ranking(outcome.evaluations);
  // What ranks the run is what was evaluated; the starter as it is has the score of the baseline.
  const isUnchanged = outcome.evaluations.some(({ unchanged }) => unchanged);
  const worth = [...scores.values(), ...(isUnchanged ? [outcome.baseline] : [])];
  for (const score of [outcome.bestScore, outcome.finalScore]) if (score !== null) expect(worth).toContain(score);
  expect(outcome.flags).toEqual(flagged === undefined ? [] : [flagged]);
  for (const [number, score] of scores) {
    const fair = fairScore(exploit, backend, level, number);
    if (expected === 'starter') expect(score).toBeCloseTo(fair, 9);
    else if (expected === 'flagged') expect(lead(task, score, fair)).toBeGreaterThan(0);
    else expect(lead(task, score, fair), `${score} against ${fair}`).toBeLessThanOrEqual(1e-9);
  }
  expect(outcome.evaluations.filter(({ suspect }: Evaluation) => suspect)).toEqual([]);
  if (expected === 'unsure') expect(['ok', 'rejected', 'no_artefact']).toContain(outcome.finalEvaluation);
  else {
    const told = outcome.evaluations.map(({ message }) => message).join('\n');
    const wanted = ['starter', 'optimum', 'flagged'].includes(expected) ? 'ok' : expected;
    expect(outcome.finalEvaluation, told).toBe(wanted);
  }
  expect(ground.canaries.in(shown)).toEqual([]);
}

describe.each(Object.entries(FAMILIES).filter(([, family]) => playedOf(family).length > 0))(
  'attacks on %s gain nothing',
  (_, family) => {
    const cases = playedOf(family).flatMap((exploit) =>
      backendsOf(exploit).map((backend) => ({ name: exploit.name, backend, exploit })),
    );
    it.each(cases)('$name, on $backend', ({ name, backend, exploit }) => {
      const outcome = outcomeOf(on(backend, name));
      judge(exploit, backend, outcome, exploit.evidence);
      exploit.proves?.(outcome);
      if (exploit.sequel !== undefined)
        judge(exploit, backend, outcomeOf(later(outcome.name)), exploit.sequel.evidence);
    });
  },
);

describe('attacks from outside of the runs', () => {
  attacksFromOutside(
    () => ground,
    () => outcomeOf('honest-starter-csvClassification'),
  );
});

describe('all attacks together', () => {
  it('are at least thirty, each with a name of its own', () => {
    expect(exploits.length).toBeGreaterThanOrEqual(30);
    expect(new Set(exploits.map(({ name }) => name)).size).toBe(exploits.length);
  });

  it('are listed in README.md', () => {
    const page = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8');
    expect(exploits.map(({ name }) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('brought no secret into anything that was written down', async () => {
    expect(await ground.leaks('victim')).toEqual([]);
    // The search finds what is there: the victim's own words.
    expect(await ground.leaks('nobody')).toEqual(['another run']);
  });

  it('include one for each way in which the product was once beaten', () => {
    const table = readFileSync(resolve(import.meta.dirname, 'README.md'), 'utf8');
    expect(Object.keys(CLASSES).filter((name) => !table.includes(`| ${name} `))).toEqual([]);
  });

  it('rank nowhere by a flag or by what they forged', async () => {
    const { batchId } = outcomeOf('test-leaked');
    const { rows } = await ground.home.json<{
      rows: { model: string; scores: Record<string, { best: number | null }> }[];
    }>(...['leaderboard', '--batch', batchId, '--include', 'scripted']);
    const best = (name: string) =>
      rows.find(({ model }) => model.endsWith(`/${name}`))?.scores['csvClassification']?.best ?? null;
    expect([best('test-leaked'), best('honest-oracle-csvClassification')]).toEqual([null, 1]);
  });

  it.runIf(LONG)('reached no server but by whole requests of their own', () => {
    expect(ground.internet.heard).toContain('GET / HTTP/1.1');
    expect(ground.internet.heard).not.toContain('smuggled');
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

  it.runIf(LONG)('did not stop the clock that times solvers', () => {
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
