import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model/model.js';
import { unplayableStep } from '../../domain/recording/reply.js';
import type { LoadedAgent } from '../../catalog/index.js';

/** The agent's reply format must be able to express every command of the recordings. */
export function checkRecordings(agent: LoadedAgent, models: readonly ModelRef[]): void {
  const { outputParser, tools } = agent.config;
  for (const { name, recording } of models) {
    const step =
      recording === undefined ? null : unplayableStep({ parser: outputParser, commands: tools.commands }, recording);
    if (step !== null)
      throw new BenchError(
        'usage',
        `${name}: agent ${agent.name} (outputParser: ${outputParser}) cannot express the command of step ${step}`,
        {
          code: 'agent.unsuitable',
          remedy: 'Choose an agent with another outputParser, for example tool-calling; `bench agents` lists agents.',
        },
      );
  }
}
