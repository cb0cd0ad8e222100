import type { ChatMessage } from '../../domain/model/model.js';

/** Scripted agents take any other task for the first. */
export type Game = 'battleOfSexes' | 'prisonersDilemma' | 'blotto';

/** From the descriptions: an agent's templates may not show the task's name. */
const SIGNS: readonly [Game, RegExp][] = [
  ['battleOfSexes', /battle ?of ?(the ?)?sexes|coordination game/i],
  ['prisonersDilemma', /prisoner['’]?s ?dilemma/i],
  ['blotto', /\bblotto\b/i],
];

/** The game named last, since demonstrations of other tasks come first. */
export function gameOf(messages: readonly ChatMessage[]): Game {
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant') continue;
    const game = SIGNS.find(([, sign]) => sign.test(content))?.[0];
    if (game !== undefined) return game;
  }
  return 'battleOfSexes';
}
