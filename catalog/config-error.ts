import { BenchError } from '../domain/errors.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

const place = (problem: ConfigProblem): string =>
  `${problem.file}${problem.line === null ? '' : `:${problem.line}`}: ${problem.key === '' ? '' : `${problem.key}: `}${problem.message}`;

/** A configuration file cannot be used. All its problems at once, each with file, line and key. */
export class ConfigError extends BenchError {
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[], options: { remedy?: string; cause?: unknown } = {}) {
    super('usage', problems.map(place).join('\n'), {
      code: 'config.invalid',
      remedy: options.remedy ?? 'Correct the file, then run `bench validate-config`.',
      cause: options.cause,
    });
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
