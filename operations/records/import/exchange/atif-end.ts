import type { ExchangedEnd } from '../../../../domain/ports/imports.js';
import { UNSCORED_ENDS } from '../../../../domain/run/outcomes.js';
import type { Remarks } from '../remarks.js';
import type { AtifSteps } from './atif-steps.js';
import type { AtifTotals } from './atif-totals.js';
import { RESULT, type TrialResult } from './harbor-result.js';
import { amountOf } from './json-values.js';
import { scoresOf } from './source-run.js';

/** The end of another tool's run; unknown where neither its trajectory nor its trial names it. */
export function foreignEnd(
  trial: TrialResult | null,
  steps: AtifSteps,
  file: string,
  remarks: Remarks,
): Omit<ExchangedEnd, 'kept'> {
  const score = trial?.score ?? null;
  const fault = trial?.fault ?? null;
  if (trial === null)
    remarks.odd(
      file,
      '',
      'no_score',
      'ATIF has no scores, and no folder above has a result.json of Harbor: why the run ended is unknown',
    );
  else if (score === null && fault === null)
    remarks.odd(RESULT, 'verifier_result', 'no_score', 'the trial was not verified: why the run ended is unknown');
  else if (score !== null && fault !== null && UNSCORED_ENDS.includes(fault.reason))
    remarks.odd(
      RESULT,
      'exception_info',
      'score_not_counted',
      `the trial has a reward, but ended as ${fault.reason} (${fault.type}): the run gets no score`,
    );
  const { best, final } = scoresOf(score === null ? [] : [score]);
  const { first, last } = steps.times;
  const startedAt = trial?.startedAt ?? first;
  const evaluation = {
    ...{ step: Math.max(steps.count, 1), kind: 'submit' as const, split: 'test', number: 1 },
    ...{ suspect: false, ms: null },
  };
  return {
    steps: steps.count,
    endReason: fault?.reason ?? (score === null ? 'unknown' : 'submit'),
    finalEvaluation: fault?.ofVerifier === true ? 'evaluator_error' : score === null ? 'not_run' : 'ok',
    exitStatus: fault?.type ?? (score === null ? 'not recorded' : 'submitted'),
    detail: fault?.detail ?? null,
    ...spentOf(steps.totals, trial),
    ...{ bestScore: best, finalScore: final },
    evaluations:
      score !== null
        ? [{ ...evaluation, status: 'ok', metrics: trial?.metrics ?? {}, primary: score, message: '' }]
        : fault?.ofVerifier === true
          ? [{ ...evaluation, status: 'evaluator_error', metrics: null, primary: null, message: fault.detail }]
          : [],
    ...{ calls: [], workspace: null, isolation: null },
    ...{ createdAt: startedAt, startedAt, endedAt: trial?.endedAt ?? last },
    prompt: steps.prompt,
  };
}

/** Without totals in a trajectory, the trial may have them. */
function spentOf({ run }: AtifTotals, trial: TrialResult | null): Pick<ExchangedEnd, 'usage' | 'costUsd'> {
  const of = (key: keyof typeof run): number | null => run[key] ?? trial?.usage[key] ?? null;
  return {
    usage: {
      input: of('input') ?? 0,
      output: of('output') ?? 0,
      cached: of('cached') ?? 0,
      reasoning: 0,
      cacheWrite: 0,
    },
    costUsd: amountOf(of('cost')),
  };
}
