import { BenchError } from '../domain/errors.js';
import { replayedReply } from '../domain/recording/reply.js';
import type { FreePlayer } from './free-player.js';
import { freeReply } from './free-reply.js';

/** Step n of the recording in step n, in the form of the run's agent. Free and repeatable. */
export const replayPlayer: FreePlayer = {
  async reply({ model, messages, turn, readAs }) {
    if (turn === undefined || readAs === undefined || model.recording === undefined)
      throw new Error(`model ${model.name} needs its recording, the turn, and the form of replies`);
    const reply = replayedReply(readAs, model.recording, { step: turn.step, requeries: turn.try });
    if (reply === null)
      throw new BenchError(
        'usage',
        `The output parser ${readAs.parser} cannot express the recorded command of step ${turn.step}.`,
        { remedy: 'Replay with an agent that has another outputParser.' },
      );
    return freeReply(messages, reply, { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 });
  },
};
