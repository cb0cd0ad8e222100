import { describe, expect, it } from 'vitest';
import pc from 'picocolors';
import { InvalidArgumentError } from 'commander';
import { commaList, wholeNumber } from '../../../cli/options.js';
import { batchDocument, renderBatch } from '../../../cli/render/batch.js';
import { oneLine } from '../../../cli/render/format.js';
import { phase } from '../../../cli/render/runs.js';
import { renderTrajectory } from '../../../cli/render/trajectory.js';
import { RunLog } from '../../../cli/run-log.js';
import { printable } from '../../../cli/terminal-text.js';
import { captured, report, run } from './fixtures.js';
import type { TrajectoryStep } from '../../../domain/views/trajectory.js';

const plain = pc.createColors(false);

const step = (values: Partial<TrajectoryStep> = {}): TrajectoryStep => ({
  step: 1,
  response: 'r',
  thought: 'I look.',
  action: 'ls',
  observation: 'strategy.py\n',
  exitCode: 0,
  timedOut: false,
  lost: false,
  outputBytes: 12,
  requested: null,
  workingDir: '/w',
  commandMs: 12,
  modelMs: 1,
  copied: false,
  costUsd: '0',
  inputTokens: 1,
  outputTokens: 1,
  endpoint: null,
  evaluations: [],
  at: '2026-01-31T12:00:00.000Z',
  ...values,
});

describe('values for people', () => {
  it('cannot drive the terminal', () => {
    expect(printable('a\u001b[2Jb\tc\r\nd\u0007')).toBe('a\\x1b[2Jb\tc\nd\\x07');
    expect(oneLine('a\n  b\u001b[0m', 80)).toBe('a b\\x1b[0m');
  });
});

describe('a batch', () => {
  const failed = run({
    status: 'ended',
    endReason: 'infra_error',
    finalEvaluation: 'not_run',
    detail: 'no space left',
  });

  it('shows what failed by no fault of an agent', () => {
    expect(renderBatch(report([run(), failed]), plain)).toContain(`${failed.runId}: infra_error: no space left`);
  });

  it('has its runs under `runs` as JSON, and values that all runs share', () => {
    expect(batchDocument(report([failed]))).toMatchObject({ totalRuns: 1, endReason: 'infra_error', runs: [failed] });
    expect(batchDocument(report([run(), failed]))).toMatchObject({ totalRuns: 2, endReason: null });
  });

  it('names an end whose final evaluation failed', () => {
    expect(phase({ status: 'ended', endReason: 'max_steps', finalEvaluation: 'no_artefact' })).toBe(
      'max_steps (no artefact)',
    );
  });
});

describe('a trajectory', () => {
  it('shows commands of several lines, and steps without a usable reply', () => {
    const text = renderTrajectory(
      [step({ action: 'cd /w\nls' }), step({ step: 2, action: null, response: 'hm', thought: '', observation: null })],
      plain,
    );
    expect(text).toContain('$ cd /w\n> ls');
    expect(text).toContain('no reply of this step could be parsed');
  });

  it('shows what a program got as text, and why it got no answer', () => {
    const said = { action: null, response: 'All done.', thought: 'All done.', observation: null };
    const unanswered = { action: null, response: '', thought: '', observation: '[no answer: a limit of the run]' };
    const text = renderTrajectory([step(said), step({ step: 2, ...unanswered })], plain);
    expect(text).toContain('── step 1 ──\nAll done.\n');
    expect(text).toContain('── step 2 ──\n[no answer: a limit of the run]');
    expect(text).not.toMatch(/could be parsed|still running|exit code/);
  });

  it('is told once while it grows', () => {
    const { output, texts } = captured();
    const { output: asJson } = captured({ json: true });
    const kept = new RunLog(asJson);
    const log = new RunLog(output);
    for (const one of [log, kept]) {
      one.add([step({ observation: null, exitCode: null, commandMs: null })], []);
      one.add([step()], []);
      one.add([step(), step({ step: 2, action: 'submit', observation: null })], []);
    }
    expect([log.count, log.entries]).toEqual([3, []]);
    expect(kept.entries.map((entry) => [entry.kind, entry.step])).toEqual([
      ['action', 1],
      ['observation', 1],
      ['action', 2],
    ]);
    expect(texts.stdout.match(/\$ ls/g)).toHaveLength(1);
  });
});

describe('arguments', () => {
  it.each(['0', '-1', '1.5', 'x', '', '1e3', '11'])('refuse %j where 1 to 10 is wanted', (text) => {
    expect(() => wholeNumber(1, 10)(text)).toThrow(InvalidArgumentError);
  });

  it('take lists by commas, once or several times', () => {
    expect(commaList('c, d', commaList('a,b', undefined))).toEqual(['a', 'b', 'c', 'd']);
    expect(() => commaList(',', undefined)).toThrow(InvalidArgumentError);
  });
});
