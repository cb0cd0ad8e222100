import { encodeReplyAs } from '../../domain/agent/encode-reply-as.js';
import { encodeReply } from '../../domain/agent/reply-encoding.js';
import type { EpisodeRow, Episodes, TakenAction } from '../../domain/ports/episodes.js';
import type { RunDefinitions } from '../../domain/ports/record/run-definitions.js';
import { actionSchema } from '../../domain/requests/episode.js';
import { storable } from '../../domain/text/storable.js';
import type { AgentConfig } from '../../domain/agent/config.js';
import { notifyAnswered } from '../../temporal/notify-answered.js';
import { isOutage } from '../as-bench-error.js';
import { type OutcomePorts, settledOutcome } from './outcome.js';
import { wantEpisode, type WantPorts } from './want-episode.js';

export interface ActionRequest {
  /** Sent by the client, perhaps malformed. */
  action: unknown;
  /**
   * Number of the action, from 1; null: the next one. Repeating number and action is idempotent.
   */
  seq: number | null;
  policyVersion?: number | null;
}

export type ActPorts = WantPorts &
  OutcomePorts & {
    episodes: Pick<Episodes, 'take'>;
    store: Pick<RunDefinitions, 'definition'>;
  };

/**
 * Stores an action and notifies its run; `waitOutcome` returns the outcome. A stored action is
 * executed once, even if processes die afterwards.
 */
export async function act(ports: ActPorts, episode: EpisodeRow, request: ActionRequest): Promise<TakenAction> {
  const { episodes, store } = ports;
  const { runId } = episode;
  const { agent } = await store.definition(runId);
  const { action, reply } = replyOf(agent, request.action);
  const asked = { runId, seq: request.seq, action, reply, policyVersion: request.policyVersion ?? null };
  let taken = await episodes.take(asked);
  // The previous action may be over without a client having polled its outcome.
  if (taken.kind === 'busy' && (await settledOutcome(ports, runId, taken.seq)) !== null)
    taken = await episodes.take(asked);
  if (taken.kind === 'taken' && !taken.heard) await notifyRun(ports, episode, taken.answers);
  return taken;
}

async function notifyRun(
  ports: WantPorts,
  { runId, started }: EpisodeRow,
  turn: { step: number; try: number },
): Promise<void> {
  try {
    if (!started) await wantEpisode(ports, runId);
    await notifyAnswered(await ports.temporal(), { runId, ...turn });
  } catch (error) {
    // The action is stored: a restarted server starts the run, and a worker notifies it.
    if (!isOutage(error)) throw error;
  }
}

/**
 * Puts a command into the form that the agent's parser reads; passes a whole reply unchanged. The
 * parser refuses anything else, and the observation reports that to the policy.
 */
function replyOf(agent: AgentConfig, sent: unknown) {
  const read = actionSchema.safeParse(sent);
  const { commands } = agent.tools;
  if (!read.success) return { action: { malformed: limited(sent) }, reply: JSON.stringify(sent) ?? 'null' };
  const action = read.data;
  if ('reply' in action) {
    const text = storable(action.reply);
    return { action: { reply: text }, reply: encodeReply({ text }) };
  }
  // Before encoding: in a tool call's arguments such characters would be escaped and executed.
  const command = storable(action.command);
  const encoded = encodeReplyAs(agent.outputParser, { thought: '', action: command }, { commands });
  return { action: { command }, reply: encoded === null ? command : encodeReply(encoded) };
}

function limited(sent: unknown): string {
  // The cut may split a surrogate pair.
  return storable((JSON.stringify(sent) ?? 'null').slice(0, 10_000));
}
