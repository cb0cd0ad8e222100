import type { Backend } from '../../../domain/run/run.js';
import { better } from '../../../domain/run/score.js';
import { statedBaseline } from '../../../domain/task/baseline.js';
import type { TaskSpec } from '../../../domain/task/task.js';
import type { RunDetail } from '../../../domain/views/runs.js';
import type { TrajectoryStep } from '../../../domain/views/trajectory.js';
import type { TaskCheck } from '../../../domain/views/tasks.js';

export const CHECKS = [
  'data',
  'leaks',
  'baseline',
  'oracle',
  'wrong',
  'repeat',
  'secrets',
  'limits',
] as const satisfies readonly TaskCheck['name'][];

export interface Played {
  run: RunDetail;
  steps: readonly TrajectoryStep[];
}

export interface PlayedTask {
  spec: TaskSpec;
  backend: Backend;
  /** Null: not submitted, since the task has no oracle/. */
  baseline: Played | null;
  oracle: Played | null;
  spoiler: Played | null;
  /** SHA-256 of the files hidden from agents, with their paths. */
  secrets: ReadonlyMap<string, string>;
}

export const ok = (name: TaskCheck['name'], detail: string): TaskCheck => ({ name, status: 'ok', detail });
export const failed = (name: TaskCheck['name'], detail: string): TaskCheck => ({ name, status: 'failed', detail });
const none = (name: TaskCheck['name'], detail: string): TaskCheck => ({ name, status: 'none', detail });

/** Allowed distance from a stated score, in standard errors. */
const ERRORS = 4;
/** For rounding, where the standard error is zero. */
const ROUNDING = 1e-6;

/** Why a run has no score, in a line. */
export function ending({ run, steps }: Played): string {
  const last = run.evaluationList.at(-1);
  const command = steps.find(({ exitCode, requested }) => exitCode !== 0 && requested === null);
  const said = command?.observation?.trim().split('\n').at(-1) ?? '';
  return [
    run.detail ?? (last === undefined ? `it ended by ${run.endReason ?? 'nothing'}` : (last.fault ?? last.message)),
    ...(command === undefined ? [] : [`step ${command.step} failed: ${said.slice(0, 200)}`]),
    run.runId,
  ].join('; ');
}

export const shown = (value: number): string => String(Number(value.toPrecision(6)));

function baselineCheck({ spec, baseline }: PlayedTask): TaskCheck {
  const stated = statedBaseline(spec);
  const score = baseline?.run.finalScore ?? null;
  if (baseline === null) return failed('baseline', 'it was not played');
  if (score === null && spec.baseline?.reported === true && stated !== null)
    return none('baseline', `${shown(stated.value)} is reported; the task has nothing that makes it`);
  if (score === null)
    return spec.baseline === undefined
      ? none('baseline', 'the task states none, and its starter is not a submission')
      : failed('baseline', `it has no score: ${ending(baseline)}`);
  if (baseline.run.suspect > 0) return failed('baseline', `${shown(score)} is beyond the declared bounds`);
  if (stated === null) return ok('baseline', `${shown(score)}; none is stated, this one is stored`);
  const room = Math.max(ERRORS * stated.standardError, ROUNDING * Math.abs(stated.value));
  const said = `${shown(score)}, stated ${shown(stated.value)} ± ${shown(room)}`;
  return Math.abs(score - stated.value) <= room ? ok('baseline', said) : failed('baseline', said);
}

function oracleCheck({ spec, baseline, oracle }: PlayedTask): TaskCheck {
  if (oracle === null) return none('oracle', 'there is no oracle/: nothing shows that the baseline can be beaten');
  const score = oracle.run.finalScore;
  if (score === null) return failed('oracle', `it has no score: ${ending(oracle)}`);
  if (oracle.run.suspect > 0) return failed('oracle', `${shown(score)} is beyond the declared bounds`);
  const known = baseline?.run.finalScore ?? statedBaseline(spec)?.value ?? null;
  if (known === null) return ok('oracle', `${shown(score)}; there is no baseline to beat`);
  const said = `${shown(score)}, the baseline ${shown(known)}`;
  return better(oracle.run.direction, score, known) ? ok('oracle', said) : failed('oracle', `${said}: not better`);
}

/** `python3 .spoil/spoil.py <way> && validate` */
const wayOf = (step: TrajectoryStep): string | null =>
  /spoil\.py (?!keep)(\w+) && /.exec(step.action ?? '')?.[1] ?? null;

function wrongCheck({ spoiler }: PlayedTask): TaskCheck {
  if (spoiler === null) return none('wrong', 'there is no oracle/ to corrupt');
  const problems: string[] = [];
  const refused: string[] = [];
  for (const step of spoiler.steps) {
    const way = wayOf(step);
    if (way === null) continue;
    const evaluation = step.evaluations.find(({ split }) => split === 'test');
    const applies = !/^does not apply$/m.test(step.observation ?? '');
    if (evaluation === undefined) {
      if (applies) problems.push(`${way} was not evaluated: ${lastLine(step.observation)}`);
    } else if (evaluation.status === 'ok') problems.push(`${way} scores ${evaluation.primary ?? ''}`);
    else if (evaluation.status === 'evaluator_error')
      problems.push(`${way} breaks the referee: ${evaluation.fault ?? evaluation.message}`);
    else if (explanation(evaluation.message).length < 10) problems.push(`${way} is rejected without an explanation`);
    else refused.push(way);
  }
  if (!refused.includes('missing')) problems.push('a missing submission was not rejected');
  return problems.length > 0
    ? failed('wrong', `${problems.join('; ')} (${spoiler.run.runId})`)
    : ok('wrong', `rejected: ${refused.join(', ').replaceAll('_', ' ')}`);
}

const explanation = (message: string): string => message.replace(/^\[evaluation\][^:]*:/, '').trim();
const lastLine = (text: string | null): string => text?.trim().split('\n').at(-1)?.slice(0, 200) ?? '';

/** The first evaluations of both runs have the same hidden seed. */
function repeatCheck({ spec, oracle, spoiler }: PlayedTask): TaskCheck {
  const [one, two] = [oracle, spoiler].map((played) =>
    played?.run.evaluationList.find(({ split, number }) => split === 'test' && number === 1),
  );
  if (one?.primary == null || two?.primary == null) return none('repeat', 'the oracle has no two scores');
  if (one.submissionSha256 !== two.submissionSha256)
    return none('repeat', 'the oracle submits something else each time; its scores cannot be compared');
  const away = Object.entries(one.metrics ?? {}).filter(([name, value]) => {
    const other = two.metrics?.[name];
    const noise = spec.metrics[name]?.noise ?? 0;
    return other === undefined || Math.abs(other - value) > noise * Math.max(Math.abs(value), Math.abs(other));
  });
  const said = away.map(([name, value]) => `${name} ${shown(value)} and ${shown(two.metrics?.[name] ?? NaN)}`);
  return away.length === 0
    ? ok('repeat', 'the same submission and seed score the same')
    : failed(
        'repeat',
        `the same submission and seed give ${said.join(', ')}; declare metrics.<name>.noise if it is measured`,
      );
}

/** The JSON after a word that one of our commands printed. */
function printed<T>(played: Played | null, word: string): T | null {
  for (const { observation } of played?.steps ?? []) {
    const text = new RegExp(`^${word} (\\{.*\\})$`, 'm').exec(observation ?? '')?.[1];
    if (text === undefined) continue;
    try {
      return JSON.parse(text) as T;
    } catch {
      return null;
    }
  }
  return null;
}

function secretsCheck({ spoiler, secrets, backend }: PlayedTask): TaskCheck {
  if (spoiler === null) return none('secrets', 'there is no oracle/, so nothing was inspected');
  const looked = printed<{ files: number; found: Record<string, string> }>(spoiler, 'LOOKED');
  if (looked === null) return failed('secrets', `the inspection of the agent's sandbox failed (${spoiler.run.runId})`);
  const seen = Object.entries(looked.found).flatMap(([sha256, path]) => {
    const secret = secrets.get(sha256);
    return secret === undefined ? [] : [`${secret} is at ${path}`];
  });
  const where = backend === 'local' ? "the agent's home (no isolation)" : "the agent's container";
  return seen.length > 0
    ? failed('secrets', seen.join('; '))
    : ok('secrets', `none of ${secrets.size} among ${looked.files} files of ${where}`);
}

function limitsCheck({ spec, spoiler, backend, ...played }: PlayedTask): TaskCheck {
  const stopped = [played.baseline, played.oracle].flatMap((one) => one?.steps.filter((step) => step.timedOut) ?? []);
  if (stopped.length > 0)
    return failed(
      'limits',
      `${stopped[0]?.action?.split('\n')[0]?.slice(0, 80) ?? ''}: ${lastLine(stopped[0]?.observation ?? null)}`,
    );
  if (spoiler === null) return none('limits', 'there is no oracle/, so nothing was inspected');
  if (backend === 'local')
    return none('limits', 'not enforced on the local backend; the commands kept their time limits');
  const held = printed<{ memory: string | null; pids: string | null; network: string[] }>(spoiler, 'LIMITS');
  if (held === null) return failed('limits', `the container's limits could not be read (${spoiler.run.runId})`);
  const problems: string[] = [];
  const atMost = (name: 'memory' | 'pids', most: number): void => {
    const value = held[name];
    if (value !== null && !(Number(value) <= most)) problems.push(`${name} is ${value}, not ${most}`);
  };
  atMost('memory', spec.limits.memoryMb * 1024 * 1024);
  atMost('pids', spec.limits.pids);
  const links = held.network.filter((name) => name !== 'lo');
  if (spec.network === 'none' && links.length > 0) problems.push(`network: none, but there is ${links.join(', ')}`);
  return problems.length > 0
    ? failed('limits', problems.join('; '))
    : ok(
        'limits',
        `${spec.limits.memoryMb} MB, ${spec.limits.pids} processes, network ${typeof spec.network === 'string' ? spec.network : 'by list'}`,
      );
}

export const judgeTask = (played: PlayedTask): TaskCheck[] =>
  [baselineCheck, oracleCheck, wrongCheck, repeatCheck, secretsCheck, limitsCheck].map((check) => check(played));
