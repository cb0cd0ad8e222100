import type { EvaluatorSpec } from '../../domain/task/evaluator-spec.js';

/** For init, and the scratch space of /tmp. */
const OVERHEAD_MB = 192;

/** Size of the player's output folder; 0: there is none. */
export const outputMb = (spec: EvaluatorSpec): number => (spec.kind === 'program' ? spec.outputMb : 0);

/** Memory of an evaluation's container, with outputs and scratch files, which lie in memory. */
export function containerMb(spec: EvaluatorSpec): number {
  const shared = OVERHEAD_MB + outputMb(spec);
  switch (spec.kind) {
    case 'game':
    case 'questions':
      return shared + spec.memoryMb + spec.refereeMemoryMb;
    case 'harbor':
      return spec.memoryMb;
    case 'data':
      return shared + spec.refereeMemoryMb;
    case 'program':
      // They run one after the other.
      return shared + Math.max(spec.memoryMb, spec.refereeMemoryMb);
  }
}
