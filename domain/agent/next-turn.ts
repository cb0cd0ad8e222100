import { MAX_REPLIES_PER_STEP } from '../run/limits.js';
import { REFUSALS } from '../run/outcomes.js';
import { type ChatMessage, fallbackOf } from '../model/model.js';
import { blockedCommand } from './blocklist.js';
import { offeredCommands } from './offered-commands.js';
import { blockedMessages, formatErrorMessages, type PromptInput } from './messages.js';
import { parserOf, type ReplyInput } from './parse-reply.js';
import { encodeReply } from './reply-encoding.js';
import { summarisedThrough } from './step-text.js';

type ReadReply =
  | { kind: 'action'; thought: string; action: string }
  | { kind: 'format_error'; problem: string }
  | { kind: 'blocked'; problem: string; command: string; action: string };

const RESERVED = 'the command is a comment that bench uses itself';

/** Of what a model refused midway, nothing runs. */
const REFUSED = 'the reply was a refusal, or empty; nothing of it was run';

const isRefusal = ({ finishReason }: ReplyInput): boolean => REFUSALS.includes(finishReason ?? '');

function readReply(run: Pick<PromptInput, 'agent' | 'model'>, reply: ReplyInput): ReadReply {
  const { agent } = run;
  if (reply.finishReason === 'refusal') return { kind: 'format_error', problem: REFUSED };
  const parsed = parserOf(agent.outputParser)(reply, {
    commands: offeredCommands(run),
    mcp: Object.keys(agent.tools.mcp ?? {}),
  });
  if (parsed.kind === 'format_error') return parsed;
  if (summarisedThrough(agent, parsed.action) !== null) return { kind: 'format_error', problem: RESERVED };
  const blocked = blockedCommand(parsed.action, agent, agent.tools.commands);
  return blocked === null ? parsed : { kind: 'blocked', ...blocked, action: parsed.action };
}

export type Turn =
  /**
   * `messages` follow the prompt: none at first, then the latest bad reply and its problem.
   * `fallback`: the model's fallback is asked, which sees no refusal.
   */
  | { kind: 'ask'; messages: ChatMessage[]; fallback?: true }
  /** `response`: the reply's stored text. `reasoning`: what its tool calls need back. */
  | { kind: 'action'; response: string; reasoning?: string; thought: string; action: string }
  /** No usable reply: the run ends by format, or by refusal if the last one was one. */
  | { kind: 'end'; endReason: 'format' | 'refusal'; response: string; problem: string };

/**
 * Next action after the step's replies so far. Unreadable replies and refused commands count alike:
 * at most two requeries. Every earlier reply counts as refused. After a refusal, the model's
 * fallback is asked for the rest of the step.
 */
export function nextTurn(run: PromptInput, replies: readonly ReplyInput[]): Turn {
  const reply = replies.at(-1);
  if (reply === undefined) return { kind: 'ask', messages: [] };
  const read = readReply(run, reply);
  const response = encodeReply(reply);
  const byFallback = fallbackOf(run.model) !== null && replies.some(isRefusal);
  if (read.kind === 'action') {
    // Reasoning belongs to the model that wrote it.
    const reasoning = byFallback ? undefined : reply.reasoning;
    return { response, ...(reasoning !== undefined && { reasoning }), ...read };
  }
  if (replies.length >= MAX_REPLIES_PER_STEP) {
    const endReason = isRefusal(reply) ? 'refusal' : 'format';
    return { kind: 'end', endReason, response, problem: read.problem };
  }
  if (byFallback && isRefusal(reply)) return { kind: 'ask', messages: [], fallback: true };
  const messages =
    read.kind === 'blocked' ? blockedMessages(run, reply, read) : formatErrorMessages(run, reply, read.problem);
  return { kind: 'ask', messages, ...(byFallback && { fallback: true }) };
}
