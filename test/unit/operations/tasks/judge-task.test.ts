import { describe, expect, it } from 'vitest';
import { judgeTask, type Played, type PlayedTask } from '../../../../operations/tasks/verify/judge-task.js';
import type { TaskSpec } from '../../../../domain/task/task.js';
import type { EvaluationDetail, RunDetail } from '../../../../domain/views/runs.js';
import type { TrajectoryStep } from '../../../../domain/views/trajectory.js';

const evaluation = (step: number, values: Partial<EvaluationDetail>): EvaluationDetail =>
  ({
    step,
    kind: 'validate',
    split: 'test',
    number: step,
    status: 'ok',
    message: '',
    fault: null,
    ...values,
  }) as EvaluationDetail;

type Step = Partial<TrajectoryStep> & { is?: Partial<EvaluationDetail> };
function played(finalScore: number | null, steps: Step[], values: Partial<RunDetail> = {}): Played {
  const list = steps.map(({ is, ...step }, index) => ({
    ...{ step: index + 1, action: '', observation: '', exitCode: 0, timedOut: false, requested: null, ...step },
    evaluations: is === undefined ? [] : [evaluation(index + 1, is)],
  })) as TrajectoryStep[];
  const run = {
    ...{ runId: 'r-1', finalScore, suspect: 0, direction: 'maximize', detail: null, endReason: 'submit', ...values },
    evaluationList: list.flatMap((step) => step.evaluations),
  } as RunDetail;
  return { run, steps: list };
}

const scored = { number: 1, primary: 0.9, metrics: { accuracy: 0.9 }, submissionSha256: 'right' };
const spoil = (way: string, is?: Partial<EvaluationDetail>, observation = `${way}: submission.csv`): Step => ({
  ...{ action: `python3 .spoil/spoil.py ${way} && validate`, observation },
  ...(is !== undefined && { is }),
});
const rejected = {
  status: 'rejected' as const,
  message: '[evaluation] The submission was rejected: line 2 is missing',
};
const LOOKED = (found: Record<string, string>): Step => ({
  observation: `LOOKED ${JSON.stringify({ files: 10, found })}`,
});
const LIMITS = (values: object = {}): Step => ({
  observation: `LIMITS ${JSON.stringify({ memory: '1073741824', pids: '64', network: ['lo'], ...values })}`,
});
const missing = { ...spoil('missing', rejected), action: 'python3 .spoil/spoil.py missing && submit' };
const spoiled = (...steps: Step[]): Played => played(null, [{ is: scored }, ...steps, missing]);

const spec = {
  id: 'points',
  metrics: { accuracy: { direction: 'maximize', description: 'd' } },
  primary: 'accuracy',
  baseline: { value: 0.5, standardError: 0.1 },
  limits: { memoryMb: 1024, pids: 64, commandSeconds: 60, workspaceMb: 10, cpus: 1 },
  network: 'none',
} as unknown as TaskSpec;
const good: PlayedTask = {
  ...{ spec, backend: 'docker', secrets: new Map([['abc', 'evaluator/labels.csv']]) },
  baseline: played(0.6, []),
  oracle: played(0.9, [{ is: scored }]),
  spoiler: spoiled(spoil('garbage', rejected), spoil('raises', undefined, 'does not apply'), LOOKED({}), LIMITS()),
};
const judge = (change: Partial<PlayedTask>) =>
  Object.fromEntries(
    judgeTask({ ...good, ...change }).map(({ name, status, detail }) => [name, `${status} ${detail}`]),
  );

describe('the judgement of a task', () => {
  it('is good where all is well', () => {
    expect(judgeTask(good).map(({ status }) => status)).toEqual(Array(6).fill('ok'));
    expect(judge({})['wrong']).toBe('ok rejected: garbage, missing');
  });

  it('finds a baseline outside of four standard errors, without a score, or beyond bounds', () => {
    expect(judge({ baseline: played(0.91, []) })['baseline']).toMatch(/^failed 0.91, stated 0.5 ± 0.4/);
    const broken = { action: 'python3 baseline.py', exitCode: 1, observation: 'Traceback\nNameError: x' };
    expect(judge({ baseline: played(null, [broken]) })['baseline']).toMatch(/^failed .*step 1 failed: NameError: x/);
    const fault = { status: 'evaluator_error' as const, message: 'not yours', fault: 'referee.py:7: KeyError: 3' };
    expect(judge({ baseline: played(null, [{ is: fault }]) })['baseline']).toMatch(
      /^failed it has no score: referee\.py:7: KeyError: 3;/,
    );
    expect(judge({ baseline: played(0.5, [], { suspect: 1 }) })['baseline']).toContain('beyond the declared bounds');
  });

  it('takes the score of a baseline that is not stated, and none where there is none', () => {
    const { baseline: _, ...rest } = spec;
    expect(judge({ spec: { ...rest, baseline: { command: 'x' } } })['baseline']).toMatch(/^ok 0.6/);
    expect(judge({ spec: rest, baseline: played(null, []) })['baseline']).toMatch(/^none/);
  });

  it('cannot repeat a baseline that is only reported, and says so; a task that should make its own fails', () => {
    const nothing = played(null, []);
    const reported = { ...spec, baseline: { ...spec.baseline!, reported: true as const } };
    expect(judge({ spec: reported, baseline: nothing })['baseline']).toBe(
      'none 0.5 is reported; the task has nothing that makes it',
    );
    expect(judge({ spec: reported, baseline: nothing, oracle: played(0.4, [{ is: scored }]) })['oracle']).toBe(
      'failed 0.4, the baseline 0.5: not better',
    );
    expect(judge({ baseline: nothing })['baseline']).toMatch(/^failed it has no score/);
  });

  it('finds an oracle that is not better', () => {
    expect(judge({ oracle: played(0.6, [{ is: scored }]) })['oracle']).toMatch(/^failed .*not better/);
    expect(judge({ oracle: null, spoiler: null })['oracle']).toMatch(/^none there is no oracle/);
  });

  it.each<[string, Step, RegExp]>([
    ['scores', spoil('extra_row', { status: 'ok', primary: 0.9 }), /extra_row scores 0.9/],
    [
      'breaks the referee',
      spoil('garbage', { status: 'evaluator_error', message: 'not yours', fault: 'referee.py:7: KeyError: 3' }),
      /breaks the referee: referee\.py:7: KeyError: 3/,
    ],
    [
      'is not explained',
      spoil('garbage', { ...rejected, message: '[evaluation] rejected: no' }),
      /without an explanation/,
    ],
    ['is not evaluated', spoil('garbage', undefined, 'garbage: x\nTraceback'), /garbage was not evaluated: Traceback/],
  ])('finds a wrong submission that %s', (_, step, problem) => {
    const { wrong } = judge({ spoiler: spoiled(step) });
    expect(wrong).toMatch(/^failed/);
    expect(wrong).toMatch(problem);
  });

  it('finds evaluations that differ by more than the declared noise', () => {
    const other = played(0.9, [{ is: { ...scored, metrics: { accuracy: 0.8 } } }]);
    expect(judge({ oracle: other })['repeat']).toMatch(/^failed .*accuracy 0.8 and 0.9/);
    const noisy = { ...spec, metrics: { accuracy: { ...spec.metrics['accuracy']!, noise: 0.2 } } };
    expect(judge({ oracle: other, spec: noisy })['repeat']).toMatch(/^ok/);
    const changed = played(0.9, [{ is: { ...scored, submissionSha256: 'other' } }]);
    expect(judge({ oracle: changed })['repeat']).toMatch(/^none/);
  });

  it('finds secrets that the agent can read', () => {
    expect(judge({ spoiler: spoiled(LOOKED({ abc: '/srv/labels' }), LIMITS()) })['secrets']).toBe(
      'failed evaluator/labels.csv is at /srv/labels',
    );
    expect(judge({ spoiler: spoiled(LOOKED({ other: '/srv/x' }), LIMITS()) })['secrets']).toMatch(/^ok/);
    expect(judge({ spoiler: spoiled() })['secrets']).toMatch(/^failed/);
  });

  it('finds limits that are not held', () => {
    const held = (values: object) => judge({ spoiler: spoiled(LOOKED({}), LIMITS(values)) })['limits'];
    expect(held({ memory: 'max' })).toMatch(/^failed memory is max/);
    expect(held({ pids: '100' })).toMatch(/^failed pids is 100, not 64/);
    expect(held({ network: ['eth0', 'lo'] })).toMatch(/^failed network: none, but there is eth0/);
    const slow = played(0.6, [{ action: 'python3 baseline.py', timedOut: true, observation: 'stopped after 60 s' }]);
    expect(judge({ baseline: slow })['limits']).toMatch(/^failed python3 baseline.py: stopped after 60 s/);
    expect(judge({ backend: 'local' })['limits']).toMatch(/^none/);
  });
});
