import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedAgent } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model/model.js';
import { unplayableStep } from '../../domain/recording/reply.js';
import type { TaskFolder } from '../../domain/task/task.js';

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

export function checkOracles(models: readonly ModelRef[], tasks: readonly TaskFolder[]): void {
  const player = models.find(({ kind }) => kind === 'oracle');
  const without = tasks.filter(({ dir }) => !existsSync(join(dir, 'oracle')));
  if (player === undefined || without.length === 0) return;
  throw new BenchError('usage', `${player.name} has nothing to play: no oracle/ in ${ids(without)}`, {
    code: 'model.unsuitable',
    remedy: `Skip ${without.length === 1 ? 'this task' : 'these tasks'}, or put a solution into oracle/.`,
  });
}

const ids = (tasks: readonly TaskFolder[]): string => tasks.map(({ spec }) => spec.id).join(', ');
