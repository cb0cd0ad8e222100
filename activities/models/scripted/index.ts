import { BenchError } from '../../../domain/errors.js';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { ChatMessage, ModelReply, ModelRequest } from '../../../domain/model.js';
import type { ModelPort } from '../../../domain/ports/model-port.js';
import { parseScriptedPolicy, type ScriptedPolicy } from '../../../domain/scripted-policies.js';
import { baseline } from './baseline.js';
import { clumsy } from './clumsy.js';
import { counter } from './counter.js';
import { gameOf } from './game.js';
import { optimum } from './optimum.js';
import type { Policy } from './policy.js';
import { slow } from './slow.js';

const POLICIES: Record<ScriptedPolicy, Policy> = { baseline, optimum, clumsy, slow, counter };

/** The scripted "provider": answers from the messages alone, costs nothing, counts tokens as four characters each. */
export const scriptedModels: ModelPort = {
  async complete(request: ModelRequest): Promise<ModelReply> {
    const named = parseScriptedPolicy(request.model.model);
    if (named === null) throw new BenchError('usage', `There is no scripted policy "${request.model.model}".`);
    const text = POLICIES[named.policy]({ ...viewOf(request.messages), number: named.number });
    return {
      text,
      usage: {
        inputTokens: tokens(request.messages.map((message) => message.content).join('')),
        outputTokens: tokens(text),
        cachedTokens: 0,
        reasoningTokens: 0,
      },
      costUsd: '0',
      finishReason: 'stop',
    };
  },
};

function viewOf(messages: ChatMessage[]) {
  const replies = messages.filter((message) => message.role === 'assistant');
  const usable = replies.map((message) => parseFencedReply(message.content).kind === 'action');
  return {
    messages,
    game: gameOf(messages),
    stepsTaken: usable.filter(Boolean).length,
    requery: usable.at(-1) === false,
  };
}

const tokens = (text: string): number => Math.ceil(text.length / 4);
