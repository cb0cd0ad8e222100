import { evaluationSeconds } from '../../domain/evaluator-spec.js';
import { EVALUATION_WALL_BOUND } from '../../domain/limits.js';
import type { TaskSpec } from '../../domain/task.js';

/** After this long the engine or host is at fault: init.py itself ends any evaluation well before. */
export const hostTimeLimitMs = (task: TaskSpec): number =>
  (EVALUATION_WALL_BOUND * evaluationSeconds(task.evaluator) + 120) * 1000;
