import { MAX_REPLIES_PER_STEP } from '../run/limits.js';
import type { ChatMessage } from '../model/model.js';
import type { PromptInput } from './messages.js';
import { nextTurn } from './next-turn.js';
import type { ReplyInput } from './parse-reply.js';

/** Messages of each turn beyond the step's history. The last reply may be missing. */
export function stepTurns(run: PromptInput, replies: readonly ReplyInput[]): ChatMessage[][] {
  const turns: ChatMessage[][] = [];
  for (let asked = 0; asked < MAX_REPLIES_PER_STEP && asked <= replies.length; asked += 1) {
    const turn = nextTurn(run, replies.slice(0, asked));
    if (turn.kind !== 'ask') break;
    turns.push(turn.messages);
  }
  return turns;
}
