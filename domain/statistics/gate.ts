/** What a run of a schedule shows against the last accepted one. */
export const GATE_OUTCOMES = ['first', 'better', 'not_worse', 'undecided', 'worse', 'failed'] as const;
export type GateOutcome = (typeof GATE_OUTCOMES)[number];

interface Compared {
  /** Null: there are no pairs. */
  verdict: { decision: 'better' | 'worse' | 'similar' | 'undecided'; worse: 'yes' | 'no' | 'undecided' } | null;
  /** Runs of the new side that count, paired or not. */
  counted: number;
}

/**
 * Accepted: later runs are compared with it. All are that count, except worse ones. To accept only
 * what is surely not worse would choose lucky batches, next to which unchanged ones look worse:
 * `npm run benchmark:gate`. Runs that count and have no pair play under another contract, or at
 * other tasks: they begin a line of their own.
 */
export function gateOutcome(of: Compared): { outcome: Exclude<GateOutcome, 'failed'>; accepted: boolean } {
  const outcome = outcomeOf(of);
  return { outcome, accepted: of.counted > 0 && outcome !== 'worse' };
}

function outcomeOf({ verdict, counted }: Compared): Exclude<GateOutcome, 'failed'> {
  if (verdict === null) return counted > 0 ? 'first' : 'undecided';
  if (verdict.worse === 'yes') return 'worse';
  if (verdict.decision === 'better') return 'better';
  return verdict.worse === 'no' ? 'not_worse' : 'undecided';
}
