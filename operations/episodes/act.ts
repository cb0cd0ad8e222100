import { encodeReplyAs } from '../../domain/agent/encode-reply-as.js';
import { encodeReply } from '../../domain/agent/reply-encoding.js';
import { BenchError } from '../../domain/errors.js';
import type { EpisodeRow, TakenAction } from '../../domain/ports/episodes.js';
import { actionSchema } from '../../domain/requests/episode.js';
import { storable } from '../../domain/storable.js';
import type { AgentConfig } from '../../domain/agent/config.js';
import { startRunWorkflow } from '../../temporal/start-run.js';
import { tellAnswered } from '../../temporal/tell-answered.js';
import { isOutage } from '../as-bench-error.js';
import type { Bench } from '../bench.js';
import { settledOutcome } from './outcome.js';

export interface ActionRequest {
  /** What the client sent: whatever it is, it is an action, if only a malformed one. */
  action: unknown;
  /** Number of the action, from 1; null: the next one. The same number and action again is the same action. */
  seq: number | null;
  policyVersion?: number | null;
}

/**
 * Takes an action of an episode and sees to it that its run hears of it; `waitOutcome` returns what it brings about.
 * Taken is taken: from then on the action is executed once, whoever dies.
 */
export async function act(bench: Bench, episode: EpisodeRow, request: ActionRequest): Promise<TakenAction> {
  const { episodes, store } = await bench.database();
  const { runId } = episode;
  const { agent } = await store.definition(runId);
  const { action, reply } = replyOf(agent, request.action);
  const asked = { runId, seq: request.seq, action, reply, policyVersion: request.policyVersion ?? null };
  let taken = await episodes.take(asked);
  // The one before may be over without anybody having asked for what came of it.
  if (taken.kind === 'busy' && (await settledOutcome(bench, runId, taken.seq)) !== null)
    taken = await episodes.take(asked);
  if (taken.kind === 'taken' && !taken.heard) await tell(bench, runId, taken.answers, episode.started);
  return taken;
}

/** Sees to it that the episode's run is going: its sandbox starts while the policy thinks. */
export async function wantEpisode(bench: Bench, runId: string): Promise<void> {
  const { episodes } = await bench.database();
  const ticket = await episodes.want(runId);
  if (ticket !== null) await startRunWorkflow(await bench.temporal(), ticket);
}

async function tell(bench: Bench, runId: string, turn: { step: number; try: number }, started: boolean): Promise<void> {
  try {
    if (!started) await wantEpisode(bench, runId);
    await tellAnswered(await bench.temporal(), { runId, ...turn });
  } catch (error) {
    // The action is stored: a server that restarts starts the run, and a worker notifies it.
    if (!isOutage(error)) throw error;
  }
}

/**
 * A command is put into the form that the agent's parser reads; a whole reply is left to it. What is neither, or no command can be made
 * of, is a reply that the parser refuses: the policy is told so, as it would be of any other bad reply.
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
  // Here already: within a tool call's arguments they would be escaped, and executed.
  const command = storable(action.command);
  const encoded = encodeReplyAs(agent.outputParser, { thought: '', action: command }, { commands });
  return { action: { command }, reply: encoded === null ? command : encodeReply(encoded) };
}

function limited(sent: unknown): string {
  // The cut may go through a pair.
  return storable((JSON.stringify(sent) ?? 'null').slice(0, 10_000));
}

/** A refusal of `take` as an error; null: it was taken. */
export function refusal(taken: TakenAction, episodeId: string): BenchError | null {
  switch (taken.kind) {
    case 'taken':
      return null;
    case 'busy':
      return new BenchError('conflict', `action ${taken.seq} of episode ${episodeId} has not finished`, {
        code: 'episode.busy',
        remedy: 'Wait for its outcome first.',
      });
    case 'out_of_order':
      return new BenchError('conflict', `the next action of episode ${episodeId} is number ${taken.expected}`, {
        code: 'episode.out_of_order',
        remedy: `Set action_seq to ${taken.expected}, or omit it.`,
      });
    case 'action_conflict':
      return new BenchError('conflict', `action ${taken.seq} of episode ${episodeId} was a different one`, {
        code: 'episode.action_conflict',
        remedy: 'Number actions from 1, each once; repeat one only unchanged.',
      });
    case 'ended':
      return new BenchError('conflict', `episode ${episodeId} has ended`, {
        code: 'episode.ended',
        remedy: 'Reset to begin another.',
      });
    case 'not_found':
      return new BenchError('not_found', `no episode ${episodeId}`, { code: 'episode.not_found' });
  }
}
