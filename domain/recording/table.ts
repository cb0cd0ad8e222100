import { CAUSE_NAMES, CAUSES, type CauseName } from './causes.js';
import type { ReplayReport, ReplayTable } from '../views/replay.js';

export interface Replayed {
  report: ReplayReport;
  /** Of the task's baseline; 0: not known. */
  standardError: number;
}

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** Two scores with errors like the baseline's are seldom further apart than this. */
const likelyNoise = (standardError: number): number => 3 * Math.SQRT2 * standardError;

/** What a recording says of how it ended: the last score is the final one only if the last evaluation gave one. */
const endedWithScore = (endedBy: string | null): boolean =>
  endedBy === null || /^(?:submit|submitted|max_steps|autosubmission\b.*)$/.test(endedBy);

function finalScores({ report, standardError }: Replayed, noise: number | null): ReplayTable['runs'][number]['final'] {
  const { scores, recording, finalEvaluation } = report;
  const recorded = endedWithScore(recording.endedBy) ? (scores.recorded.at(-1) ?? null) : null;
  const now = finalEvaluation === 'ok' ? (scores.now.at(-1) ?? null) : null;
  const tolerance = noise ?? likelyNoise(standardError);
  const equal = recorded === null || now === null ? recorded === now : Math.abs(recorded - now) <= tolerance + 1e-9;
  return { recorded, now, equal };
}

/** One table over runs that replayed recordings. */
export function replayTableOf(replayed: readonly Replayed[], noise: number | null): ReplayTable {
  const found = replayed.map((one) => {
    const { report } = one;
    const { runId, batchId, model, task, agent, status, recorded, same } = report;
    const causes = report.steps.flatMap(({ cause }) => (cause === null ? [] : [cause]));
    const final = finalScores(one, noise);
    const row: ReplayTable['runs'][number] = {
      ...{ runId, batchId, model, task, agent, status, recorded, same },
      declared: causes.filter((cause) => CAUSES[cause].declared).length,
      final,
      cause: final.equal ? null : (causes.find((cause) => cause !== 'wording' && cause !== 'hidden') ?? 'other'),
    };
    return { row, causes };
  });
  const runs = found.map(({ row }) => row);
  const sum = (key: 'recorded' | 'same' | 'declared'): number => runs.reduce((total, row) => total + row[key], 0);
  const steps = { recorded: sum('recorded'), same: sum('same'), declared: sum('declared') };
  const equal = runs.filter(({ final }) => final.equal).length;
  const causeRow = (cause: CauseName): ReplayTable['causes'][number] => ({
    ...{ cause, ...CAUSES[cause] },
    steps: found.reduce((total, { causes }) => total + causes.filter((one) => one === cause).length, 0),
    runs: found.filter(({ causes }) => causes.includes(cause)).length,
    finalScores: runs.filter((row) => row.cause === cause).length,
  });
  return {
    noise,
    runs,
    steps: { ...steps, share: share(steps.same + steps.declared, steps.recorded) },
    finalScores: { runs: runs.length, equal, share: share(equal, runs.length) },
    causes: CAUSE_NAMES.map(causeRow)
      .filter((row) => row.steps > 0 || row.finalScores > 0)
      .toSorted((a, b) => b.steps - a.steps || b.finalScores - a.finalScores),
  };
}
