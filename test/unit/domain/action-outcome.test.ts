import { describe, expect, test } from 'vitest';
import { type ActionProgress, isOver, outcomeOf } from '../../../domain/episodes/action-outcome.js';

const progress = (change: Partial<ActionProgress> = {}): ActionProgress => ({
  ...{ seq: 2, step: 2, try: 0, settled: null, evaluations: [] },
  next: { step: 3, try: 0, message: 'shown next' },
  run: { ended: false, endReason: null, finalEvaluation: null, detail: null, maxSteps: 10 },
  record: { action: 'ls', observation: 'out', exitCode: 0, timedOut: false, outputBytes: 3 },
  ...change,
});
const nothing = { reward: null, parts: {}, given: null, fault: null };
const run = (change: Partial<ActionProgress['run']>): ActionProgress['run'] => ({
  ...{ ended: true, endReason: 'submit', finalEvaluation: 'ok', detail: null, maxSteps: 10 },
  ...change,
});

describe('the outcome of an action', () => {
  test('is known when the policy is asked again, or the run has ended', () => {
    expect(isOver(progress())).toBe(true);
    expect(isOver(progress({ next: null }))).toBe(false);
    expect(isOver(progress({ next: null, run: run({}) }))).toBe(true);
  });

  test('shows what the policy is asked next, and counts the steps that remain', () => {
    expect(outcomeOf(progress(), nothing)).toMatchObject({
      ...{ message: 'shown next', reward: null, terminated: false, truncated: false, formatError: false },
      ...{ output: 'out', exitCode: 0, remainingSteps: 8, truncatedBytes: 0 },
    });
  });

  test('of a malformed action executes nothing: the same step is asked again', () => {
    const again = progress({ next: { step: 2, try: 1, message: 'wrong' }, record: null });
    expect(outcomeOf(again, nothing)).toMatchObject({
      formatError: true,
      output: null,
      exitCode: null,
      message: 'wrong',
    });
  });

  test('pays what its step is worth, less what earlier actions of the step were paid', () => {
    expect(
      outcomeOf(progress(), { reward: 0.75, parts: { evaluation: 1, format: -0.25 }, given: { format: -0.25 } }).reward,
    ).toBe(1);
    expect(outcomeOf(progress(), { reward: 0.75, parts: { evaluation: 0.75 }, given: null }).reward).toBe(0.75);
  });

  test('that was not evaluated is worth nothing, not 0: the penalties of its step were paid before', () => {
    const penalised = { reward: -0.25, parts: { format: -0.25 }, given: { format: -0.25 } };
    expect(outcomeOf(progress(), penalised)).toMatchObject({ reward: null, rewardParts: {} });
    expect(outcomeOf(progress(), { ...penalised, given: null })).toMatchObject({ reward: -0.25 });
  });

  test.each([
    ['submit', true, false],
    ['forfeit', true, false],
    ['max_steps', false, true],
    ['deadline', false, true],
    ['format', false, true],
  ] as const)('tells an end by %s apart', (endReason, terminated, truncated) => {
    const ended = progress({ next: null, run: run({ endReason }) });
    expect(outcomeOf(ended, { reward: 0.5, parts: { evaluation: 0.5 }, given: null })).toMatchObject({
      terminated,
      truncated,
      reward: 0.5,
      fault: null,
    });
  });

  test.each([
    ['infra_error', 'not_run', 'infra_error'],
    ['config_error', 'not_run', 'config_error'],
    ['cancelled', 'not_run', 'cancelled'],
  ] as const)('of a run that ended by %s, %s is a fault and never a reward', (endReason, finalEvaluation, reason) => {
    const failed = progress({ next: null, run: run({ endReason, finalEvaluation, detail: 'the disk' }) });
    expect(outcomeOf(failed, { reward: 0, parts: {}, given: null })).toMatchObject({
      ...{ reward: null, terminated: false, truncated: false, fault: { reason, detail: 'the disk' } },
    });
  });

  test('is an error where the record tells a fault of an evaluation, whatever the last one came to', () => {
    const ended = progress({ next: null, run: run({}) });
    expect(outcomeOf(ended, { ...nothing, fault: 'evaluator_error' })).toMatchObject({
      ...{ reward: null, terminated: false, truncated: false, fault: { reason: 'evaluator_error' } },
    });
    const hidden = progress({ next: null, run: run({ finalEvaluation: 'evaluator_error' }) });
    expect(outcomeOf(hidden, { ...nothing, reward: 0.5, parts: { evaluation: 0.5 } })).toMatchObject({
      ...{ reward: 0.5, terminated: true, fault: null },
    });
    expect(outcomeOf(progress(), { ...nothing, fault: 'evaluator_error' }).fault).toBeNull();
  });

  test('tells what parts its reward has, each paid once', () => {
    const worth = { reward: 0.5, parts: { evaluation: 0.5, no_valid: 0 }, given: { evaluation: 0.5 } };
    expect(outcomeOf(progress(), worth)).toMatchObject({ reward: 0, rewardParts: { no_valid: 0 } });
    expect(outcomeOf(progress(), { ...worth, again: ['evaluation'] }).rewardParts).toEqual({
      evaluation: 0,
      no_valid: 0,
    });
  });

  test('shows the evaluation that the action asked for', () => {
    const validate = {
      id: 'a',
      kind: 'validate',
      status: 'ok',
      valid: true,
      metrics: { s: 1 },
      primary: 1,
      baseline: 0,
      gain: 1,
    } as const;
    const forced = { ...validate, id: 'b', kind: 'forced' } as const;
    expect(outcomeOf(progress({ evaluations: [validate] }), nothing).evaluation).toEqual(validate);
    const last = progress({ next: null, run: run({ endReason: 'max_steps' }), evaluations: [validate, forced] });
    expect(outcomeOf(last, nothing).evaluation).toEqual(forced);
  });
});
