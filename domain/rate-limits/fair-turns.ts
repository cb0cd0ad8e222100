/** A call that waits for its grant. */
export interface WaitingCall {
  ticket: string;
  batchId: string;
  /** Of its batch: 1 (first) to 5 (last). */
  priority: number;
  /** Estimate: the prompt and the longest reply. */
  tokens: number;
  /** Epoch ms; a call that comes again keeps its place. */
  arrivedAt: number;
}

/** State of fair sharing: how far each batch is ahead, in virtual time. */
export interface Turns {
  turns: Record<string, number>;
  clock: number;
}

/**
 * Waiting calls in the order of their grants: higher priority first; within one, the batch that was given least goes next
 * (start-time fair queueing by what its calls cost, so that many small calls weigh as much as few large ones); within a batch first
 * come, first served. Changes `at` as calls are passed.
 */
export function fairTurns(at: Turns, waiting: readonly WaitingCall[]): FairTurns {
  const batches = new Map<string, WaitingCall[]>();
  for (const call of [...waiting].sort(byArrival)) {
    const queue = batches.get(call.batchId);
    if (queue === undefined) batches.set(call.batchId, [call]);
    else queue.push(call);
  }
  /** One that waited for nothing has saved nothing up. */
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
  /** Whose turn it is. */
  next(): WaitingCall | undefined;
  /** It was given its grant, which cost so much. */
  pass(cost: number): void;
}

const byArrival = (a: WaitingCall, b: WaitingCall): number =>
  a.arrivedAt - b.arrivedAt || (a.ticket < b.ticket ? -1 : 1);

function before(a: WaitingCall, b: WaitingCall, turnOf: (batchId: string) => number): boolean {
  if (a.priority !== b.priority) return a.priority < b.priority;
  const [turnA, turnB] = [turnOf(a.batchId), turnOf(b.batchId)];
  return turnA === turnB ? a.arrivedAt < b.arrivedAt : turnA < turnB;
}

/** Forget what has no effect any more: batches that are not ahead of the others. */
export function forgetOldTurns(state: Turns): void {
  for (const [batchId, turn] of Object.entries(state.turns)) if (turn <= state.clock) delete state.turns[batchId];
}
