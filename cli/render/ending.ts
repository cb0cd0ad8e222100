import type { Colors } from 'picocolors/types.js';
import type { RunSummary } from '../../domain/views/runs.js';
import { oneLine } from './format.js';

const FAULTS: readonly (string | null)[] = ['infra_error', 'config_error'];

/** `the next call might have cost …. Allow more with \`--cost-limit\`.`; empty: not ended. */
export function endingText({ ending, endReason }: Pick<RunSummary, 'ending' | 'endReason'>, colors: Colors): string {
  if (ending === null) return '';
  const why = oneLine(ending.why, 500);
  const colored = FAULTS.includes(endReason) ? colors.red(why) : why;
  return ending.next === null ? colored : `${colored}. ${ending.next}`;
}
