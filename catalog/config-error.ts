import { BenchError, problemLine } from '../domain/errors.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

/** All problems of a configuration file, each with file, line and key. */
export class ConfigError extends BenchError {
  readonly problems: readonly ConfigProblem[];
  /** `replaces`: the file that counts as soon as this one is removed. */
  constructor(
    problems: readonly ConfigProblem[],
    { remedy, cause, replaces = null }: { remedy?: string; cause?: unknown; replaces?: string | null } = {},
  ) {
    const without = replaces === null ? '' : ` Without it, ${replaces} is used.`;
    super('usage', problems.map(problemLine).join('\n'), {
      code: 'config.invalid',
      remedy: remedy ?? `Correct the file, then run \`bench validate-config\`.${without}`,
      cause,
    });
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
