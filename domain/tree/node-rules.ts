import type { Requested, RunDefinition } from '../run/run.js';
import type { TaskSpec } from '../task/task.js';

/** What is different in the run of a node. */

/** `submit` of a node is a validation: its tree alone submits. */
export const requestOf = ({ node = false }: Pick<RunDefinition, 'node'>, asked: Requested): Requested =>
  node && asked === 'submit' ? 'validate' : asked;

/** Of a node its own files count: an earlier submission is its parent's. */
export const onForcedEnd = ({ node = false, task }: Pick<RunDefinition, 'node' | 'task'>): TaskSpec['onForcedEnd'] =>
  node ? 'current' : task.onForcedEnd;

/** The first step that is the node's own, and not its parent's. */
export const beginsNode = (
  { node = false, forkedFrom }: Pick<RunDefinition, 'node' | 'forkedFrom'>,
  step: number,
): boolean => node && forkedFrom !== undefined && step === forkedFrom.step + 1;
