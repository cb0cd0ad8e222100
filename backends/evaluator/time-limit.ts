import { evaluationSeconds } from '../../domain/task/evaluator-spec.js';
import { EVALUATION_WALL_BOUND } from '../../domain/run/limits.js';
import type { TaskSpec } from '../../domain/task/task.js';

/** After this, the engine or host is at fault: init.py ends any evaluation well before. */
export const hostTimeLimitMs = (task: TaskSpec): number =>
  (EVALUATION_WALL_BOUND * evaluationSeconds(task.evaluator) + 120) * 1000;
