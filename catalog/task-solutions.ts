import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { better } from '../domain/run/score.js';
import type { TaskSpec } from '../domain/task/task.js';
import { isSecret } from '../domain/task/secrets.js';
import { fileDigest, folderFiles } from './folder-hash.js';
import type { ProblemAt } from './yaml-file.js';
import type { ConfigProblem } from '../domain/views/catalog.js';

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

/** Scripts that a command names: `python3 baseline.py` runs baseline.py. */
const scriptsOf = (command: string): string[] =>
  [...command.matchAll(/(?:^|[\s;&|])(?:python3?|bash|sh)\s+(?:-\S+\s+)*([^\s;&|<>-][^\s;&|<>]*\.(?:py|sh))/g)].map(
    (match) => match[1]!.replace(/^\.\//, ''),
  );

/** The target, worth a gain of 1, must be possible and better than the baseline. */
export function targetProblems(spec: TaskSpec, problem: ProblemAt): ConfigProblem[] {
  const { target, baseline } = spec;
  const metric = spec.metrics[spec.primary];
  if (target === undefined || metric === undefined) return [];
  const { min, max } = metric.bounds ?? {};
  const pairs = [
    ['value', target.value, baseline?.value],
    ['sample', target.sample, baseline?.sample?.value],
  ] as const;
  return pairs.flatMap(([key, value, known]) => [
    ...(value !== undefined && known !== undefined && !better(metric.direction, value, known)
      ? [
          problem(
            ['target', key],
            `${value} is not better than the baseline, ${known}; ${spec.primary} is to ${metric.direction}`,
          ),
        ]
      : []),
    ...(value !== undefined && (value < (min ?? value) || value > (max ?? value))
      ? [problem(['target', key], `${value} is outside the bounds of ${spec.primary}`)]
      : []),
  ]);
}

/** Scripts in the commands of baseline and oracle must exist, and so must the oracle's files. */
export function solutionProblems(spec: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const made = (path: string): boolean =>
    // A file of the image.
    path.startsWith('/') || (spec.data?.agent ?? []).some((place) => path === place || path.startsWith(`${place}/`));
  const commands: [at: PropertyKey[], command: string | undefined, folders: string[]][] = [
    [['baseline', 'command'], spec.baseline?.command, ['starter']],
    [['oracle', 'command'], spec.oracle?.command, ['oracle', 'starter']],
    ...Object.entries(spec.profiles ?? {}).flatMap(([name, profile]): typeof commands => [
      [['profiles', name, 'baseline', 'command'], profile.baseline?.command, ['starter']],
      [['profiles', name, 'oracle', 'command'], profile.oracle?.command, ['oracle', 'starter']],
    ]),
  ];
  for (const [at, command, folders] of commands)
    for (const script of scriptsOf(command ?? ''))
      if (!made(script) && !folders.some((folder) => existsSync(join(dir, folder, script))))
        problems.push(
          problem(at, `runs ${script}, but there is no ${folders.map((folder) => `${folder}/${script}`).join(' or ')}`),
        );
  return [...problems, ...oracleProblems(spec, dir, problem)];
}

function oracleProblems(spec: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  const folder = join(dir, 'oracle');
  const played = spec.oracle !== undefined || Object.values(spec.profiles ?? {}).some(({ oracle }) => oracle);
  if (!isFolder(folder))
    return played
      ? [problem(['oracle'], 'there is no folder oracle/ next to task.yaml, which contains the solution')]
      : [];
  const files = folderFiles(folder).map(({ path }) => path);
  if (files.length === 0)
    return [problem(['oracle'], 'the folder oracle/ is empty; put a solution into it, or remove it')];
  if (played) return [];
  const there = (path: string): boolean => files.includes(path) || existsSync(join(dir, 'starter', path));
  const missing = spec.submission.files.filter((path) => !there(path));
  return missing.length === 0
    ? []
    : [problem(['oracle'], `oracle/ lacks ${missing.join(', ')}; put it there, or make it with oracle.command`)];
}

export function secretProblems(spec: TaskSpec, dir: string, problem: ProblemAt): ConfigProblem[] {
  const [starter, evaluator] = [join(dir, 'starter'), join(dir, 'evaluator')];
  if (!isFolder(starter) || !isFolder(evaluator)) return [];
  const problems: ConfigProblem[] = [];
  const remedy = 'agents see starter/: remove it there';
  for (const [index, path] of (spec.data?.hidden ?? []).entries()) {
    if (existsSync(join(starter, path)))
      problems.push(problem(['data', 'hidden', index], `starter/${path} exists too; ${remedy}`));
    if (
      spec.data?.agent.some((shown) => path === shown || path.startsWith(`${shown}/`) || shown.startsWith(`${path}/`))
    )
      problems.push(problem(['data', 'hidden', index], `is also in data.agent, which agents see; choose another path`));
  }
  const shown = folderFiles(starter).map(({ path }) => ({ path, size: statSync(join(starter, path)).size }));
  for (const { path } of folderFiles(evaluator)) {
    const { size } = statSync(join(evaluator, path));
    if (!isSecret(path, size)) continue;
    for (const other of shown.filter((file) => file.size === size))
      if (fileDigest(join(starter, other.path)) === fileDigest(join(evaluator, path)))
        problems.push(problem(['evaluator'], `starter/${other.path} is the same file as evaluator/${path}; ${remedy}`));
  }
  return problems;
}
