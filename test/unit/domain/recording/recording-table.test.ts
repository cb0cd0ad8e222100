import { expect, it } from 'vitest';
import { replayTableOf } from '../../../../domain/recording/table.js';
import { replayTableSchema, type ReplayReport } from '../../../../domain/views/replay.js';

type Step = ReplayReport['steps'][number];
const step = (at: number, cause: Step['cause']): Step => ({
  ...{ step: at, action: 'ls', state: cause === null ? 'same' : 'diverges', difference: null, cause },
});
function report(runId: string, causes: Step['cause'][], recorded: number | null, now: number | null): ReplayReport {
  return {
    ...{
      runId,
      batchId: 'b-1',
      model: `replay:${runId}`,
      task: 'game',
      agent: 'mlgym',
      backend: 'docker',
      status: 'ended',
    },
    ...{ endReason: 'submit', finalEvaluation: now === null ? 'rejected' : 'ok', exitStatus: null, detail: null },
    recording: {
      hash: '',
      format: 'mlgym',
      omitted: 0,
      endedBy: recorded === null ? 'submission_not_found (submit)' : 'submitted',
    },
    scores: {
      primary: 'Score',
      direction: 'maximize',
      recorded: recorded === null ? [] : [0.5, recorded],
      now: now === null ? [] : [now],
    },
    recorded: causes.length,
    same: causes.filter((cause) => cause === null).length,
    ...{ diverged: 0, refused: 0, notPlayed: 0 },
    steps: causes.map((cause, at) => step(at + 1, cause)),
  };
}

it('counts causes in steps, runs and changed final scores, and the share beyond declared ones', () => {
  const table = replayTableOf(
    [
      { report: report('r-1', [null, 'hidden', 'linter', 'linter'], 1, 1.2), standardError: 0.01 },
      { report: report('r-2', [null, null, 'numbers'], 1, 1.04), standardError: 0.01 },
      { report: report('r-3', ['evaluation'], null, 0.7), standardError: 0.01 },
      { report: report('r-4', [null], null, null), standardError: 0.01 },
    ],
    null,
  );
  expect(replayTableSchema.parse(table)).toEqual(table);
  expect(table.steps).toEqual({ recorded: 9, same: 4, declared: 3, share: 7 / 9 });
  expect(table.finalScores).toEqual({ runs: 4, equal: 2, share: 0.5 });
  expect(table.runs.map(({ cause }) => cause)).toEqual(['linter', null, 'evaluation', null]);
  expect(table.causes.map(({ cause, steps, runs, finalScores }) => [cause, steps, runs, finalScores])).toEqual([
    ['linter', 2, 1, 1],
    ['evaluation', 1, 1, 1],
    ['hidden', 1, 1, 0],
    ['numbers', 1, 1, 0],
  ]);
});

it('takes another measure of noise where one is given', () => {
  const runs = [{ report: report('r-1', [null], 1, 1.2), standardError: 0 }];
  expect(replayTableOf(runs, null).finalScores.equal).toBe(0);
  expect(replayTableOf(runs, 0.3).finalScores.equal).toBe(1);
});
