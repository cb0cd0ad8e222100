import { DEFAULT_COMMANDS } from '../../domain/agent/commands.js';
import { encodeReplyAs, type Said } from '../../domain/agent/encode-reply-as.js';
import { parserOf } from '../../domain/agent/parse-reply.js';
import type { DecodedReply } from '../../domain/agent/reply-encoding.js';
import { BenchError } from '../../domain/errors.js';
import type { ReplyForm } from '../../domain/agent/reply-form.js';
import type { TurnRequest } from '../free-player.js';
import type { PolicyReply } from './policy.js';

/** As the run says, else as tool calls if tools are offered. */
export const formOf = ({ readAs, tools }: Pick<TurnRequest, 'readAs' | 'tools'>): ReplyForm =>
  readAs ?? { parser: tools === undefined ? 'fenced' : 'tool-calls', commands: DEFAULT_COMMANDS };

function inForm(said: Said, form: ReplyForm): DecodedReply {
  const encoded = encodeReplyAs(form.parser, said, form);
  if (encoded !== null) return encoded;
  throw new BenchError('usage', `The output parser ${form.parser} cannot express the policy's command.`, {
    code: 'agent.unsuitable',
    remedy: 'Choose an agent with another outputParser for scripted models.',
  });
}

function wrongly(instead: NonNullable<PolicyReply['instead']>, form: ReplyForm): DecodedReply {
  if ('text' in instead) return instead;
  const replies = instead.commands.map((said) => inForm(said, form));
  const text = replies.map((one) => one.text).join('\n');
  const calls = replies.flatMap((one) => one.toolCalls ?? []);
  if (calls.length === 0) return { text };
  return { text, toolCalls: calls.map((call, index) => ({ ...call, id: `call_${index + 1}` })) };
}

/** In the form of the run's agent; or in a wrong one, if the policy asks and the agent refuses. */
export function replyInForm(reply: PolicyReply, form: ReplyForm): DecodedReply {
  if (reply.instead !== undefined) {
    const wrong = wrongly(reply.instead, form);
    if (parserOf(form.parser)(wrong, form).kind === 'format_error') return wrong;
  }
  return inForm(reply, form);
}
