import { describe, expect, it } from 'vitest';
import { readExitStatus } from '../../../../domain/mlgym/exit-status.js';
import { END_REASONS, FINAL_EVALUATIONS, mlgymExitStatus } from '../../../../domain/run/outcomes.js';

const short = (raw: string | null, action: string | null = null): string => {
  const { endReason, finalEvaluation } = readExitStatus(raw, action);
  return `${endReason} ${finalEvaluation}`;
};

describe('readExitStatus', () => {
  it.each([
    ['submitted', 'submit ok'],
    ['autosubmission (max_steps)', 'max_steps ok'],
    ['autosubmission (exit_context)', 'context ok'],
    ['autosubmission (exit_api)', 'api ok'],
    ['submission_not_found (exit_cost)', 'cost no_artefact'],
    ['submission_not_found (submit)', 'submit no_artefact'],
    ['evaluation_format_error (exit_format)', 'format rejected'],
    ['evaluation_format_error (submit)', 'submit rejected'],
    ['autosubmission (exit_error)', 'runtime ok'],
    ['early_exit', 'runtime not_run'],
    ['skipped', 'forfeit not_run'],
    ['exit_forfeit', 'forfeit not_run'],
    ['unknown_error (validate)', 'runtime not_run'],
    ['KeyError, no "id", in line 3, (max_steps)', 'max_steps evaluator_error'],
  ])('reads %s', (raw, expected) => expect(short(raw)).toBe(expected));

  it.each(['something else', 'autosubmission (constructor)', 'toString (submit)', 'autosubmission (elsewhere)'])(
    'does not know why a run with the status "%s" ended, and keeps the words',
    (raw) => {
      expect(short(raw)).toBe('unknown not_run');
      expect(readExitStatus(raw, null).exitStatus).toBe(raw);
    },
  );

  it('takes an empty status for the last action of the history', () =>
    expect(readExitStatus('', ' open "a.csv" 0\n')).toEqual({
      endReason: 'runtime',
      finalEvaluation: 'not_run',
      exitStatus: 'unknown_error (open "a.csv" 0)',
    }));

  it('knows no status where no trajectory was written', () =>
    expect(readExitStatus(null, 'ls')).toEqual({ endReason: 'unknown', finalEvaluation: 'not_run', exitStatus: null }));

  it('reads whatever bench writes in the words of MLGym back as an end of the same sense', () => {
    for (const end of END_REASONS)
      for (const final of FINAL_EVALUATIONS) {
        const written = mlgymExitStatus(end, final);
        if (written === '') continue;
        const read = readExitStatus(written, null);
        expect(mlgymExitStatus(read.endReason, read.finalEvaluation)).toBe(written);
      }
  });
});
