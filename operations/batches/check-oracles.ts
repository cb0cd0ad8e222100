import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model/model.js';
import type { TaskFolder } from '../../domain/task/task.js';

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
