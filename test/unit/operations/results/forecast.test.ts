import { describe, expect, it } from 'vitest';
import { forecast } from '../../../../operations/results/forecast.js';
import { renderWatchedCells, watchHeadline } from '../../../../cli/render/watch.js';
import { captured, report, run } from '../../cli/fixtures.js';
import { LiveView } from '../../../../cli/live-view.js';
import pc from 'picocolors';

const START = '2026-01-31T12:00:00.000Z';
const at = (seconds: number): string => new Date(Date.parse(START) + seconds * 1000).toISOString();
const now = Date.parse(at(60));
const done = (seconds: number, costUsd = '0', more = {}) =>
  run({
    status: 'ended',
    endReason: 'submit',
    finalEvaluation: 'ok',
    startedAt: START,
    endedAt: at(seconds),
    costUsd,
    ...more,
  });
const queued = (more = {}) => run({ status: 'queued', steps: 0, startedAt: null, ...more });
const colors = pc.createColors(false);

describe('the forecast', () => {
  it('knows nothing before the first step, and 0 when all have ended', () => {
    expect(forecast([queued()], 1, now)).toEqual({ remainingMs: null, expectedUsd: null });
    expect(forecast([done(30, '0.5')], 1, now)).toEqual({ remainingMs: 0, expectedUsd: 0.5 });
  });

  it('takes the mean of those that ended for each that has not, shared out among the places', () => {
    const runs = [done(20, '1'), done(40, '3'), queued(), queued(), queued(), queued()];
    // 30 s and $2 each.
    expect(forecast(runs, 1, now)).toEqual({ remainingMs: 120_000, expectedUsd: 12 });
    expect(forecast(runs, 2, now)).toEqual({ remainingMs: 60_000, expectedUsd: 12 });
    // No shorter than one run.
    expect(forecast(runs, 100, now).remainingMs).toBe(30_000);
  });

  it('subtracts what a run under way has taken and cost, and never goes below nothing', () => {
    const runs = [done(90, '2'), run({ startedAt: START, costUsd: '0.5' })];
    expect(forecast(runs, 1, now)).toEqual({ remainingMs: 30_000, expectedUsd: 4 });
    const late = [done(30, '1'), run({ startedAt: START, costUsd: '5' })];
    expect(forecast(late, 1, now)).toEqual({ remainingMs: 0, expectedUsd: 6 });
  });

  it('takes the pace of those under way before the first has ended, up to their step limit', () => {
    // 3 steps in 60 s of at most 6: 120 s, $0.6 each.
    const runs = [run({ startedAt: START, steps: 3, maxSteps: 6, costUsd: '0.3' }), queued({ maxSteps: 6 })];
    expect(forecast(runs, 2, now)).toEqual({ remainingMs: 120_000, expectedUsd: 1.2 });
  });

  it('prefers the same model and task, then the model, then all; what failed by no fault of the agent tells nothing', () => {
    const runs = [
      done(10, '1'),
      done(1000, '100', { model: 'other' }),
      done(1, '0', { endReason: 'infra_error' }),
      queued(),
      queued({ model: 'other', task: 'blotto' }),
    ];
    expect(forecast(runs, 2, now).expectedUsd).toBe(101 + 1 + 100);
    expect(forecast([...runs, queued({ model: 'third' })], 3, now).expectedUsd).toBeCloseTo(101 + 1 + 100 + 50.5);
  });
});

describe('watching', () => {
  it('has a headline with what waits, failed, and is to be expected', () => {
    const runs = [
      done(20, '1'),
      done(1, '0', { endReason: 'infra_error', finalEvaluation: 'not_run' }),
      run({ startedAt: at(50) }),
      queued({ status: 'waiting_gpu' }),
    ];
    const text = watchHeadline(report(runs, { budgetUsd: '5', concurrency: 1, costUsd: '1' }), colors, new Date(now));
    expect(text).toContain('1 running, 1 waiting for GPUs, 1 failed, budget $5.00, forecast $3.00, about 30 s left');
  });

  it('shows a large batch per model and task: 600 runs in a few lines', () => {
    const many = Array.from({ length: 600 }, (_, i) => ({ model: i % 2 === 0 ? 'a' : 'b', task: 'blotto' })).map(
      (of, i) => (i < 300 ? done(20, '0.01', { ...of, bestScore: i }) : queued(of)),
    );
    const lines = renderWatchedCells(report(many), colors, new Date(now)).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^a +blotto +150\/300 .* 298 +\$1\.50 +\$3\.00$/);
    const { output, texts } = captured({ tty: true });
    new LiveView(output, 'stdout').show(report(many));
    expect(texts.stdout.split('\n')).toHaveLength(5);
  });

  it('writes the totals of a large batch where there is no terminal, not each run', () => {
    const { output, texts } = captured();
    const view = new LiveView(output, 'stdout');
    const many = Array.from({ length: 200 }, () => queued());
    view.show(report(many));
    view.show(report(many));
    expect(texts.stdout.trim().split('\n')).toHaveLength(1);
    expect(texts.stdout).toContain('0 of 200 runs ended');
  });
});
