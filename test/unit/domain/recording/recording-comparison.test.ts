import { describe, expect, it } from 'vitest';
import type { Recording } from '../../../../domain/recording/recording.js';
import { compareWithRecording, recordedPrimary } from '../../../../domain/recording/comparison.js';
import { NORMALISATION_RULES, normalisedObservation } from '../../../../domain/recording/normalise.js';
import { REFUSED_STAND_IN } from '../../../../domain/recording/reply.js';

const recordingOf = (...observations: string[]): Recording => ({
  format: 'mlgym',
  steps: observations.map((observation, at) => ({ response: '', thought: '', action: `act ${at + 1}`, observation })),
  omitted: 0,
  endedBy: null,
  scores: [],
  workspace: '/home/agent/workspace',
});
const played = (...observations: (string | null)[]) =>
  observations.map((observation, at) => ({ step: at + 1, action: `act ${at + 1}`, observation }));
const equal = (recorded: string, now: string): boolean =>
  compareWithRecording(recordingOf(recorded), played(now), '/workspace').same === 1;

describe('comparing a run with the recording that it played', () => {
  it('counts what is the same, and names the first line that differs', () => {
    const { steps, ...counts } = compareWithRecording(
      recordingOf('a\nb\nc', 'same', 'one', 'never', 'never'),
      [...played('a\nB\nc', 'same\n', null), { step: 4, action: REFUSED_STAND_IN, observation: '' }],
      null,
    );
    expect(counts).toEqual({ recorded: 5, same: 1, diverged: 1, refused: 1, notPlayed: 1 });
    expect(steps.map(({ state }) => state)).toEqual(['diverges', 'same', 'unfinished', 'refused', 'not_played']);
    expect(steps[0]?.difference).toEqual({ line: 2, recorded: 'b', now: 'B' });
  });

  it('shows a missing line as none', () => {
    const { steps } = compareWithRecording(recordingOf('a', 'a\nb'), played('a\nb', 'a'), null);
    expect(steps.map(({ difference }) => difference)).toEqual([
      { line: 2, recorded: null, now: 'b' },
      { line: 2, recorded: 'b', now: null },
    ]);
  });

  it('compares a stand-in that was itself recorded like any other command', () => {
    const recording = recordingOf('');
    recording.steps[0]!.action = REFUSED_STAND_IN;
    expect(compareWithRecording(recording, [{ step: 1, action: REFUSED_STAND_IN, observation: '' }], null).same).toBe(
      1,
    );
  });

  it('lists the steps past the end of the recording as added', () => {
    const { steps, recorded } = compareWithRecording(recordingOf('a'), played('a', 'Submitted'), null);
    expect(recorded).toBe(1);
    expect(steps.at(-1)).toEqual({ step: 2, action: 'act 2', state: 'added', difference: null, cause: null });
  });
});

describe('two observations are the same but for', () => {
  it.each([
    ['line ends and blanks at line ends', 'a  \r\nb\r\n\n', 'a\nb'],
    ['terminal codes', '\u001b[1;32mok\u001b[0m', 'ok'],
    ['the workspace', '[File: /home/agent/workspace/a.py]', '[File: /workspace/a.py]'],
    ['an ISO date', 'at 2024-11-03T10:00:01.5Z', 'at 2026-01-01 00:00'],
    ['dates of ls', '-rw-r--r-- 1 a a 3 Nov  3 10:00 x', '-rw-r--r-- 1 a a 3 Jan 12  2025 x'],
    ['a clock time', 'now 10:00:01', 'now 23:59:59.123'],
    ['what time says', 'real\t0m0.003s', 'real\t1m12.5s'],
    ['durations and rates', 'took 3.2 s, 15it/s', 'took 12 s, 7.5it/s'],
    ['temporary paths', 'wrote /tmp/tmpab12/x.txt', 'wrote /tmp/tmp99zz/x.txt'],
    ['process numbers', 'pid 17 and process 3', 'pid 4711 and process 12'],
    ['a background job', '[1] 4711', '[1] 12'],
    ['addresses', '<object at 0x7f12ab34cd56>', '<object at 0x7fffffffffff>'],
    [
      'the word that an evaluation will follow',
      'x\nValidation requested: it runs as soon as this command has ended.\n[evaluation] The submission was rejected: no',
      'x\n[evaluation] The submission was rejected: no',
    ],
    [
      'the answer to a submission, which others leave silent',
      '',
      'Submission requested: the work is handed in as soon as this command has ended.\n',
    ],
    [
      'what an evaluation scored',
      "Your code produced a valid submission artefact at /home/agent/workspace/target.py.\nBaseline Score: {'Score': 1.02}\nEvaluation Score: {'Score': 1.07}",
      '[evaluation] The submission (strategy.py) is valid.\n  payoff = 1.4 (higher is better)\n  baseline: payoff = 1.02',
    ],
  ])('%s', (_, recorded, now) => {
    expect(equal(recorded, now)).toBe(true);
  });

  it.each([
    ['numbers', 'loss 0.31', 'loss 0.32'],
    ['counts of things', '3 files', '4 files'],
    ['scores that a program printed itself', 'Score: 1.02', 'Score: 1.07'],
    ['names', '/home/agent/workspace/a.py', '/workspace/b.py'],
    ['lines', 'a\nb', 'ab'],
    ['indentation', '  return 0', ' return 0'],
    [
      'an evaluation that became invalid',
      '[evaluation] The submission (a) is valid.\n  s = 1',
      '[evaluation] The submission was rejected: no',
    ],
    [
      'what follows an evaluation',
      '[evaluation] The submission (a) is valid.\n  s = 1\nx',
      '[evaluation] The submission (a) is valid.\n  s = 1\ny',
    ],
  ])('not %s', (_, recorded, now) => {
    expect(equal(recorded, now)).toBe(false);
  });

  it('every rule leaves its own mark alone, so that a text is normalised once and for all', () => {
    for (const { name, mark } of NORMALISATION_RULES) {
      const text = mark.replace('$1', 'pid').replace('$2', ' ');
      expect(normalisedObservation(text, null), name).toBe(text);
    }
  });
});

it('the primary metric is found under another name if it is the only one', () => {
  expect(recordedPrimary({ Score: 1 }, 'payoff')).toBe(1);
  expect(recordedPrimary({ payoff: 2, Score: 1 }, 'payoff')).toBe(2);
  expect(recordedPrimary({ a: 2, b: 1 }, 'payoff')).toBeNull();
});
