import { Unrecoverable } from '../domain/errors.js';
import type { ModelActivities } from '../domain/model/messages.js';
import type { TurnResult } from '../domain/ports/player.js';
import type { Trees } from '../domain/ports/record/trees.js';
import { QUESTION_STEP, questionMessages } from '../domain/tree/questions.js';
import { cancellation } from './cancellation.js';
import type { ModelPorts } from './next-action.js';

export interface AskTreePorts extends Pick<ModelPorts, 'definitions' | 'players'> {
  store: Pick<Trees, 'treeQuestions'>;
}

export function askTreeActivities(ports: AskTreePorts): Pick<ModelActivities, 'askTree'> {
  return { askTree: ({ runId }) => askTree(ports, runId, cancellation()) };
}

/** The next wave finds the answers in the ledger; without one it is chosen by rule. */
export async function askTree(
  { store, definitions, players }: AskTreePorts,
  runId: string,
  signal: AbortSignal,
): Promise<{ waitMs: number | null }> {
  const asked = await store.treeQuestions(runId);
  if (asked === null) return { waitMs: null };
  const root = await definitions.get(runId);
  const player = players.get(root.model.provider);
  if (player === undefined) throw new Error(`this worker serves no provider "${root.model.provider}"`);
  const { costLimitUsd, tokenLimit } = asked;
  // Its last call must fit, like a node's.
  const run = { ...root, node: true, costLimitUsd, tokenLimit };
  for (const { question, try: nth } of asked.questions) {
    const turn = { runId, step: QUESTION_STEP, try: nth };
    const prompt = { messages: questionMessages(question, asked.account) };
    const next = await player.next(run, turn, prompt, signal).catch((error: unknown): TurnResult => {
      // Lost answers have used up its share.
      if (error instanceof Unrecoverable) return { kind: 'end', endReason: 'cost' };
      throw error;
    });
    if (next.kind === 'wait') return { waitMs: next.waitMs };
    if (next.kind !== 'reply') break;
  }
  return { waitMs: null };
}
