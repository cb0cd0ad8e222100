export interface WaitingCall {
  ticket: string;
  batchId: string;
  /** Of its batch: 1 (first) to 5 (last). */
  priority: number;
  /** Estimate: the prompt and the longest reply. */
  tokens: number;
  /** Epoch ms; a retry keeps its place. */
  arrivedAt: number;
}

/** Each batch's lead, in virtual time. */
export interface Turns {
  turns: Record<string, number>;
  clock: number;
}

/**
 * Waiting calls in the order of their grants: by priority; then the batch that received least
 * (start-time fair queueing by cost, so many small calls weigh as much as few large ones); then
 * first come, first served. Changes `at`.
 */
export function fairTurns(at: Turns, waiting: readonly WaitingCall[]): FairTurns {
  const batches = new Map<string, WaitingCall[]>();
  for (const call of [...waiting].sort(byArrival)) {
    const queue = batches.get(call.batchId);
    if (queue === undefined) batches.set(call.batchId, [call]);
    else queue.push(call);
  }
  /** An idle batch saves nothing up. */
  const turnOf = (batchId: string): number => Math.max(at.turns[batchId] ?? 0, at.clock);
  let known: WaitingCall | undefined;
  const next = (): WaitingCall | undefined => {
    if (known !== undefined) return known;
    let best: WaitingCall | undefined;
    for (const [head] of batches.values())
      if (head !== undefined && (best === undefined || before(head, best, turnOf))) best = head;
    return (known = best);
  };
  return {
    next,
    pass(cost) {
      const call = next();
      if (call === undefined) return;
      known = undefined;
      batches.get(call.batchId)?.shift();
      at.clock = turnOf(call.batchId);
      at.turns[call.batchId] = at.clock + cost;
    },
  };
}

export interface FairTurns {
  next(): WaitingCall | undefined;
  pass(cost: number): void;
}

const byArrival = (a: WaitingCall, b: WaitingCall): number =>
  a.arrivedAt - b.arrivedAt || (a.ticket < b.ticket ? -1 : 1);

function before(a: WaitingCall, b: WaitingCall, turnOf: (batchId: string) => number): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  const [turnA, turnB] = [turnOf(a.batchId), turnOf(b.batchId)];
  return turnA === turnB ? a.arrivedAt < b.arrivedAt : turnA < turnB;
}

/** Forget batches without a lead. */
export function forgetOldTurns(state: Turns): void {
  for (const [batchId, turn] of Object.entries(state.turns)) if (turn <= state.clock) delete state.turns[batchId];
}
