import type { TaskSpec } from '../task/task.js';
import { commandsWithin } from './blocklist.js';
import { simpleCommands } from './shell-commands.js';

/** May take long: they train, install, build or download. `python` includes `python3.11`. */
export const TRAINING_PROGRAMS: readonly string[] = [
  ...['python', 'python3', 'ipython', 'jupyter', 'torchrun', 'accelerate', 'deepspeed', 'mpirun', 'horovodrun'],
  ...['pip', 'pip3', 'uv', 'conda', 'mamba', 'poetry', 'apt', 'apt-get', 'npm', 'cargo'],
  // Waits for such a program.
  'job_output',
  ...['wget', 'curl', 'git', 'rsync', 'huggingface-cli', 'hf', 'make', 'cmake', 'ninja'],
];

const SHELLS = new Set(['bash', 'sh', 'dash', 'source', '.']);
/** The program is somewhere among their words. */
const CARRIERS = new Set(['xargs', 'parallel', 'find', 'watch', 'flock', 'taskset', 'numactl']);
/** Known to the shell only: a variable's value, a substitution's output. */
const isUnknown = (word: string): boolean => word.startsWith('$') || word.includes('\u0001');
const MAX_NESTING = 5;

type Limits = Pick<TaskSpec['limits'], 'commandSeconds' | 'shortCommandSeconds' | 'silentSeconds' | 'trainingPrograms'>;

export interface CommandLimits {
  timeLimitSeconds: number;
  silenceLimitSeconds?: number;
}

export function commandLimits(script: string, limits: Limits, atMostSeconds = Infinity): CommandLimits {
  const { commandSeconds, shortCommandSeconds = commandSeconds, silentSeconds } = limits;
  const short = shortCommandSeconds < commandSeconds && !mayTrain(script, limits.trainingPrograms ?? TRAINING_PROGRAMS);
  return {
    timeLimitSeconds: Math.min(short ? shortCommandSeconds : commandSeconds, atMostSeconds),
    ...(silentSeconds !== undefined && { silenceLimitSeconds: silentSeconds }),
  };
}

/**
 * Whether a script may run one of the programs, also through a script or a name that only the shell
 * knows. Only command words count: `cat python.log` runs none.
 */
export function mayTrain(script: string, programs: readonly string[], nesting = 0): boolean {
  return simpleCommands(script).some(({ words }) =>
    commandsWithin(words).some(([command = '', ...operands]) => {
      const name = command.slice(command.lastIndexOf('/') + 1);
      if (isUnknown(command) || isOneOf(name, programs)) return true;
      if (CARRIERS.has(name)) return operands.some((word) => isOneOf(word.slice(word.lastIndexOf('/') + 1), programs));
      if (name === 'eval') return nested(operands.join(' '));
      if (SHELLS.has(name)) {
        const option = operands.findIndex((word) => /^-\w*c$/.test(word));
        return option === -1 ? operands.some((word) => !word.startsWith('-')) : nested(operands[option + 1] ?? '');
      }
      return command.includes('/') && !/^\/(usr\/)?(local\/)?s?bin\//.test(command);
    }),
  );

  function nested(inner: string): boolean {
    return nesting === MAX_NESTING || mayTrain(inner, programs, nesting + 1);
  }
}

const isOneOf = (name: string, programs: readonly string[]): boolean =>
  programs.includes(name) || programs.includes(name.replace(/[\d.]+$/, ''));
