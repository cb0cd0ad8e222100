import type { TaskCheck } from '../../../domain/views/tasks.js';
import { ending, failed, ok, type Played, type PlayedTask, shown } from './judge-task.js';

const scoreOf = (played: Played | null): number | null => played?.run.finalScore ?? null;

/** Harbor's tests must pass the solution, fail the untouched folder, and score both. */
export function judgeHarborTask({ spec, baseline, oracle }: PlayedTask): TaskCheck[] {
  const full = spec.metrics[spec.primary]?.bounds?.max ?? 1;
  const [start, solved] = [scoreOf(baseline), scoreOf(oracle)];
  const saying = (played: Played | null): string => (played === null ? 'it was not played' : ending(played));
  return [
    start === null
      ? failed('baseline', `the untouched start has no score: ${saying(baseline)}`)
      : start >= full
        ? failed('baseline', `the untouched start passes with ${shown(start)}`)
        : ok('baseline', `${shown(start)}, untouched`),
    solved === null
      ? failed('oracle', `the solution has no score: ${saying(oracle)}`)
      : solved >= full
        ? ok('oracle', `${shown(solved)}, the solution`)
        : failed('oracle', `the solution does not pass with ${shown(solved)}; ${saying(oracle)}`),
  ];
}
