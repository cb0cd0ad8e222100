import type { TaskNetwork } from '../../domain/task/network.js';
import type { RunDetail } from '../../domain/views/runs.js';

export const networkText = (network: TaskNetwork): string =>
  typeof network === 'string' ? network : `only ${network.allow.join(', ')}`;

type World = Pick<
  RunDetail,
  | 'limits'
  | 'workspaceLimit'
  | 'unenforcedLimits'
  | 'imageDigest'
  | 'evaluatorImageDigest'
  | 'network'
  | 'memory'
  | 'memoryRecords'
>;

/** A run's sandbox and its evaluator, a line each; unknown for imported runs. */
export function worldFields(run: World): (readonly [string, string])[] {
  if (run.limits === null || run.network === null) return [];
  const { unenforcedLimits } = run;
  const { memoryMb, cpus, pids, workspaceMb } = run.limits;
  const images = [
    ...(run.imageDigest === null ? [] : [`agent ${shortDigest(run.imageDigest)}`]),
    ...(run.evaluatorImageDigest === null ? [] : [`evaluator ${shortDigest(run.evaluatorImageDigest)}`]),
  ];
  return [
    ['limits', `${cpus} cpus, ${memoryMb} MB, ${pids} processes, workspace ${workspaceMb} MB${keptBy(run)}`],
    ...(unenforcedLimits === null || unenforcedLimits.length === 0
      ? []
      : [['not enforced', `${unenforcedLimits.join(', ')}: its host does not enforce these limits`] as const]),
    ['images', images.length === 0 ? '–' : images.join(', ')],
    ['network', networkText(run.network)],
    ['memory', memoryText(run)],
  ];
}

function keptBy({ workspaceLimit }: World): string {
  if (workspaceLimit === null) return '';
  return workspaceLimit === 'file_system' ? ' (by its file system)' : ' (watched)';
}

function memoryText({ memory, memoryRecords }: World): string {
  if (!memory) return 'none';
  return memoryRecords === null ? "the task's" : `the task's, ${memoryRecords} records when the run began`;
}

const shortDigest = (digest: string): string => digest.replace(/^sha256:/, '').slice(0, 12);
