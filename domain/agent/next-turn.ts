import { MAX_REPLIES_PER_STEP } from '../run/limits.js';
import type { ChatMessage } from '../model/model.js';
import { blockedCommand } from './blocklist.js';
import type { AgentConfig } from './config.js';
import { blockedMessages, formatErrorMessages, type PromptInput } from './messages.js';
import { parserOf, type ReplyInput } from './parse-reply.js';
import { encodeReply } from './reply-encoding.js';

/** A reply as the agent's parser and blocklists see it. */
type ReadReply =
  | { kind: 'action'; thought: string; action: string }
  | { kind: 'format_error'; problem: string }
  | { kind: 'blocked'; problem: string; command: string; action: string };

function readReply(agent: AgentConfig, reply: ReplyInput): ReadReply {
  const parsed = parserOf(agent.outputParser)(reply, { commands: agent.tools.commands });
  if (parsed.kind === 'format_error') return parsed;
  const blocked = blockedCommand(parsed.action, agent, agent.tools.commands);
  return blocked === null ? parsed : { kind: 'blocked', ...blocked, action: parsed.action };
}

export type Turn =
  /** Ask the model, with these messages after the prompt: none at first, then the latest bad reply and what was wrong with it. */
  | { kind: 'ask'; messages: ChatMessage[] }
  /** The step's action; `response` is what to store of the reply. */
  | { kind: 'action'; response: string; thought: string; action: string }
  /** No reply could be used: the run ends by format. */
  | { kind: 'end'; endReason: 'format'; response: string; problem: string };

/**
 * What comes after the replies of this step so far. Replies that could not be read and commands that were refused count alike: at
 * most two requeries, and the last reply is read like the first. Every earlier reply is taken as refused.
 */
export function nextTurn(run: PromptInput, replies: readonly ReplyInput[]): Turn {
  const reply = replies.at(-1);
  if (reply === undefined) return { kind: 'ask', messages: [] };
  const read = readReply(run.agent, reply);
  const response = encodeReply(reply);
  if (read.kind === 'action') return { response, ...read };
  if (replies.length >= MAX_REPLIES_PER_STEP) {
    return { kind: 'end', endReason: 'format', response, problem: read.problem };
  }
  const messages =
    read.kind === 'blocked' ? blockedMessages(run, reply, read) : formatErrorMessages(run, reply, read.problem);
  return { kind: 'ask', messages };
}
