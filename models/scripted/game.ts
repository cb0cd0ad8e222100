import type { ChatMessage } from '../../domain/model.js';

/** The games that scripted agents know; of any other task they think it is the first. */
export type Game = 'battleOfSexes' | 'prisonersDilemma' | 'blotto';

/** Words of the tasks' descriptions, since an agent's templates need not show a task's name. */
const SIGNS: readonly [Game, RegExp][] = [
  ['battleOfSexes', /battle ?of ?(the ?)?sexes|coordination game/i],
  ['prisonersDilemma', /prisoner['’]?s ?dilemma/i],
  ['blotto', /\bblotto\b/i],
];

/** Which game the messages are about: the one named last, since demonstrations of other tasks come before the task. */
export function gameOf(messages: readonly ChatMessage[]): Game {
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant') continue;
    const game = SIGNS.find(([, sign]) => sign.test(content))?.[0];
    if (game !== undefined) return game;
  }
  return 'battleOfSexes';
}
