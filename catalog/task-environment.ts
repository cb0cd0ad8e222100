import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readRequirements } from '../domain/task/requirements.js';
import { parseAllowedHost } from '../domain/task/network.js';
import type { TaskSpec } from '../domain/task/task.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

type ProblemAt = (path: PropertyKey[], message: string) => ConfigProblem;

const isRegularFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** Requirements files must exist, pin versions, and name existing archives. */
export function requirementsProblems(spec: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  const profiles = Object.entries(spec.profiles ?? {});
  const found = [
    ...problemsOf(spec.requirements, [], dir, problem),
    ...profiles.flatMap(([name, { requirements }]) => problemsOf(requirements, ['profiles', name], dir, problem)),
  ];
  // Report a shared file's problems once.
  return found.filter((one, nth) => found.findIndex((other) => isDeepStrictEqual(other, one)) === nth);
}

function problemsOf(
  requirements: TaskSpec['requirements'],
  at: readonly string[],
  dir: string,
  problem: ProblemAt,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const key of ['agent', 'evaluator'] as const) {
    const path = requirements?.[key];
    if (path === undefined) continue;
    const file = join(dir, path);
    if (!isRegularFile(file)) {
      problems.push(problem([...at, 'requirements', key], `no file ${path} next to task.yaml`));
      continue;
    }
    const read = readRequirements(readFileSync(file, 'utf8'));
    for (const { line, message } of read.problems) problems.push({ file, line, key: '', message });
    for (const requirement of read.requirements) {
      if (requirement.kind === 'archive' && !isRegularFile(join(dir, requirement.path)))
        problems.push({
          file,
          line: requirement.line,
          key: '',
          message: `no file ${requirement.path} in the task's folder`,
        });
    }
  }
  return problems;
}

/** The proxy must understand each entry of network.allow. */
export function networkProblems(spec: TaskSpec, problem: ProblemAt): ConfigProblem[] {
  if (typeof spec.network === 'string') return [];
  return spec.network.allow.flatMap((entry, index) => {
    const read = parseAllowedHost(entry);
    return typeof read === 'string'
      ? [problem(['network', 'allow', index], `${read}, found ${JSON.stringify(entry)}`)]
      : [];
  });
}
