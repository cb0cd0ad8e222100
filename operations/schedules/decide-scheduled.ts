import type { ScheduledAt } from '../../domain/model/messages.js';
import type { BatchReads } from '../../domain/ports/reading/batches.js';
import type { RunDecision, Schedules } from '../../domain/ports/schedules.js';
import { pairsRequestSchema } from '../../domain/requests/pairs.js';
import { gateOutcome } from '../../domain/statistics/gate.js';
import { verdictText } from '../../domain/text/verdict.js';
import { comparePairs, type PairPorts } from '../results/compare-pairs.js';

export type DecideScheduledPorts = {
  schedules: Pick<Schedules, 'due' | 'decide'>;
  pages: PairPorts['pages'];
  queries: PairPorts['queries'] & Pick<BatchReads, 'batchStatus'>;
};

/** Compares the ended batch of one time with the last accepted one. False: it plays. */
export async function decideScheduled(
  ports: DecideScheduledPorts,
  { schedule, dueAt }: ScheduledAt,
): Promise<{ decided: boolean }> {
  const due = await ports.schedules.due(schedule, dueAt);
  if (due === null || due.decided || due.batchId === null) return { decided: true };
  const { status } = await ports.queries.batchStatus(due.batchId);
  if (status !== 'ended' && status !== 'cancelled') return { decided: false };
  const decision = status === 'cancelled' ? CANCELLED : await decisionOf(ports, due.batchId, due.base);
  await ports.schedules.decide(schedule, dueAt, { ...decision, base: due.base });
  return { decided: true };
}

const CANCELLED = { outcome: 'undecided', accepted: false, detail: 'Not decided: the batch was cancelled.' } as const;

async function decisionOf(
  ports: DecideScheduledPorts,
  batchId: string,
  base: string | null,
): Promise<Omit<RunDecision, 'base'>> {
  const pairs =
    base === null ? null : await comparePairs(ports, pairsRequestSchema.parse({ batches: [base, batchId] }));
  const verdict = pairs?.verdict ?? null;
  const counted = await countedRuns(ports, batchId);
  const detail =
    pairs !== null && verdict !== null
      ? verdictText(pairs)
      : counted > 0
        ? 'Nothing to compare with: the first of its tasks and contracts.'
        : 'Not decided: no run of the batch counts.';
  return { ...gateOutcome({ verdict, counted }), detail };
}

async function countedRuns({ pages }: DecideScheduledPorts, batchId: string): Promise<number> {
  const all = { models: null, agents: null, tasks: null, includeSuspect: false };
  return (await pages.pairableRuns({ ...all, batches: [batchId] })).length;
}
