import { evaluationSeconds } from '../../domain/evaluator-spec.js';
import type { TaskSpec } from '../../domain/task.js';

/** After this long the engine or host is at fault: init.py itself ends any evaluation well before. */
export const hostTimeLimitMs = (task: TaskSpec): number => (evaluationSeconds(task.evaluator) + 60) * 1000;
