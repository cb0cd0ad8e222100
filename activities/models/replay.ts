import { BenchError } from '../../domain/errors.js';
import type { ModelPort } from '../../domain/ports/model-port.js';
import { replayedReply } from '../../domain/recording-reply.js';
import type { RunDefinitions } from '../run-definitions.js';

/**
 * The "provider" of recorded runs: in step n it says what the recording says in step n, in the form of the run's agent. It goes by run,
 * step and try alone, so that asking again gives the same. Nothing is read or generated: no tokens, no cost.
 */
export const replayModels = (definitions: Pick<RunDefinitions, 'get'>): ModelPort => ({
  async complete({ model, turn }) {
    if (turn === undefined || model.recording === undefined)
      throw new Error(`model ${model.name} plays a recording: it needs one, and the turn`);
    const { agent, agentName } = await definitions.get(turn.runId);
    const reply = replayedReply(agent, model.recording, { step: turn.step, requeries: turn.try });
    if (reply === null)
      throw new BenchError(
        'usage',
        `step ${turn.step} of the recording cannot be said in the reply format of the agent ${agentName}`,
        { remedy: 'Replay it with another agent, for example default.' },
      );
    const calls = reply.toolCalls ?? [];
    return {
      text: reply.text,
      usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0 },
      costUsd: '0',
      finishReason: calls.length === 0 ? 'stop' : 'tool_calls',
      ...(calls.length === 0 ? {} : { toolCalls: [...calls] }),
    };
  },
});
