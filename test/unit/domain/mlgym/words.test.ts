import { describe, expect, it } from 'vitest';
import { shownToAgent, type Outcome } from '../../../../domain/agent/evaluation-message.js';
import { pythonNumber, stoppedInMlgymWords } from '../../../../domain/mlgym/words.js';
import type { TaskSpec } from '../../../../domain/task/task.js';

const task = {
  primary: 'Score',
  metrics: { Score: { direction: 'maximize', description: 'payoff' } },
  baseline: { value: 1.0226699113845825 },
  submission: { files: ['strategy.py'], optional: [], folders: [] },
} as unknown as TaskSpec;

const told = (outcome: Outcome, kind: 'validate' | 'submit' | 'forced' = 'validate', of: TaskSpec = task): string =>
  shownToAgent(of, new Map([['test', outcome]]), { dialect: 'mlgym', kind, workspace: '/home/agent/workspace' });
const ok = (metrics: Record<string, number>): Outcome => ({ kind: 'ok', metrics }) as unknown as Outcome;

/** TorchRL's wrapper of MLGym reads two scores in the last message; reward: the difference. */
const LOOKED_FOR = {
  artefact: /valid submission artefact at (.*)\./,
  baseline: /Baseline Score: \{'Score': (.*)\}/,
  score: /Evaluation Score: \{'Score': (.*)\}/,
};

describe("an evaluation in MLGym's words", () => {
  it("is read by the reward parser of TorchRL's wrapper", () => {
    const text = told(ok({ Score: 1.148400068283081 }));
    expect(LOOKED_FOR.artefact.exec(text)?.[1]).toBe('/home/agent/workspace/strategy.py');
    expect(Number(LOOKED_FOR.baseline.exec(text)?.[1])).toBe(1.0226699113845825);
    expect(Number(LOOKED_FOR.score.exec(text)?.[1])).toBe(1.148400068283081);
  });

  it('names every metric, and says where no baseline is known', () => {
    const text = told(ok({ Score: 2, Time: 1e-7 }), 'validate', { ...task, baseline: undefined });
    expect(text.split('\n').slice(1)).toEqual([
      'Baseline Score: NA (no baseline was there)',
      "Evaluation Score: {'Score': 2.0, 'Time': 1e-07}",
    ]);
  });

  it('holds no score where there is none', () => {
    for (const kind of ['rejected', 'no_artefact', 'evaluator_error'] as const) {
      const text = told({ kind, message: 'it raised ValueError' });
      expect(LOOKED_FOR.score.test(text)).toBe(false);
      expect(text.includes('it raised ValueError')).toBe(kind === 'rejected');
    }
  });

  it('says at the end of a run that it ended, and nothing else', () => {
    expect(told(ok({ Score: 1 }), 'submit')).toBe('Exited (submit)');
  });

  it('is in our own words for every other agent', () => {
    const ours = shownToAgent(task, new Map([['test', ok({ Score: 1 })]]), {
      ...{ dialect: undefined, kind: 'validate', workspace: '/w' },
    });
    expect(ours).toContain('[evaluation] The submission (strategy.py) is valid.');
  });
});

it.each([
  [1, '1.0'],
  [-3, '-3.0'],
  [0.1, '0.1'],
  [1e21, '1e+21'],
  [1.5e-9, '1.5e-09'],
  [Number.NaN, 'nan'],
  [-Infinity, '-inf'],
])('%d is printed as Python does', (value, text) => {
  expect(pythonNumber(value)).toBe(text);
});

it('names the limit that stopped a command', () => {
  const limits = { timeLimitSeconds: 25, silenceLimitSeconds: 60 };
  expect(stoppedInMlgymWords('time', limits)).toContain('MORE THAN 25 SECONDS');
  expect(stoppedInMlgymWords('silence', limits)).toContain('NO OUTPUT WAS PRODUCED FOR MORE THAN 60 SECONDS');
  expect(stoppedInMlgymWords('workspace', limits)).toBeNull();
});
