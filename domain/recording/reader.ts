import { z } from 'zod';
import { BenchError } from '../errors.js';
import type { Recording } from './recording.js';

const EXPORT_AGAIN = 'Write the JSON of `bench trajectory <run>` to the file again, or copy the `.traj` again.';

/** Fails with the file, the place in it, what is wrong there and what to do. */
function refuse(source: string, problem: string, remedy: string): never {
  throw new BenchError('usage', `${source}: ${problem}`, { code: 'recording.invalid', remedy });
}

const path = (keys: readonly PropertyKey[]): string =>
  keys.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${String(key)}`)).join('');

/** Text for database and shell: PostgreSQL takes no NUL, UTF-8 no half of a surrogate pair. */
const text = z
  .string()
  .refine((value) => !value.includes('\0'), 'contains a NUL character')
  .refine((value) => !/\p{Surrogate}/u.test(value), 'contains half of a surrogate pair, which is not a character');
const orNothing = text.nullish().transform((value) => value ?? '');

const mlgymItem = z.object({ response: text, thought: text, action: text, observation: orNothing, state: z.unknown() });
const mlgymFile = z.object({
  trajectory: z.array(mlgymItem),
  info: z.object({ exit_status: z.unknown(), score: z.unknown() }).partial().optional(),
});

const benchFile = z.object({
  steps: z.array(
    z.object({
      step: z.number().int(),
      response: text,
      thought: text,
      action: text.nullable(),
      observation: orNothing,
      evaluations: z.array(z.object({ status: z.string(), metrics: z.unknown() })).default([]),
    }),
  ),
  workspace: text.nullish(),
  endReason: text.nullish(),
});

/** Python writes numbers into JSON that JSON does not have. */
const withoutPythonNumbers = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/g, (token) => (token.startsWith('"') ? token : 'null'));

function parseJson(content: string, source: string): unknown {
  if (content.trim() === '') refuse(source, 'the file is empty', EXPORT_AGAIN);
  if (content.includes('\0'))
    refuse(source, 'the file contains NUL bytes: it is not text', 'Name a `.traj`, or the JSON of `bench trajectory`.');
  try {
    return JSON.parse(content);
  } catch {
    try {
      return JSON.parse(withoutPythonNumbers(content));
    } catch (error) {
      // The engine's message quotes the content, which may be long; the first part names the place.
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ');
      return refuse(source, `not complete JSON: ${reason.slice(0, 120)}`, `It was cut off or edited. ${EXPORT_AGAIN}`);
    }
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, source: string): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const problems = read.error.issues.slice(0, 3).map((issue) => `${path(issue.path)}: ${issue.message}`);
  const more = read.error.issues.length - problems.length;
  return refuse(
    source,
    problems.join('; ') + (more > 0 ? `; and ${more} more` : ''),
    `Correct these keys. ${EXPORT_AGAIN}`,
  );
}

/** The finite numbers of a metrics object, or null. */
function metricsOf(value: unknown): Record<string, number> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const numbers = Object.entries(value).filter((entry): entry is [string, number] => Number.isFinite(entry[1]));
  return numbers.length === 0 ? null : Object.fromEntries(numbers);
}

const present = <T>(value: T | null): value is T => value !== null;
const nonEmpty = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** MLGym writes the directory before each action into `state`, as JSON within JSON. */
function workingDir(state: unknown): string | null {
  try {
    const value: unknown = typeof state === 'string' ? JSON.parse(state) : state;
    return nonEmpty((value as { working_dir?: unknown } | null)?.working_dir);
  } catch {
    return null;
  }
}

/**
 * MLGym writes a forced end as a last step with action `exit_…`, which no model replied. A reply
 * beyond the last step was not run either: its observation says that the run had ended.
 */
const isForcedEnd = ({ action, observation }: { action: string; observation: string }): boolean =>
  /^exit_[a-z_]+$/.test(action.trim()) || /^Exited \((?!submit\))[a-z_]+\)\s*$/.test(observation);

function fromMlgym(file: z.output<typeof mlgymFile>): Recording {
  const replies = file.trajectory.filter((item) => !isForcedEnd(item));
  const { exit_status: exitStatus, score } = file.info ?? {};
  return {
    format: 'mlgym',
    steps: replies.map(({ response, thought, action, observation }) => ({ response, thought, action, observation })),
    omitted: file.trajectory.length - replies.length,
    endedBy: nonEmpty(exitStatus),
    scores: Array.isArray(score) ? score.map(metricsOf).filter(present) : [],
    workspace: workingDir(file.trajectory[0]?.state),
  };
}

function fromBench(file: z.output<typeof benchFile>, source: string): Recording {
  file.steps.forEach(({ step }, at) => {
    if (step !== at + 1)
      refuse(
        source,
        `steps[${at}].step: is ${step} where ${at + 1} was expected`,
        'Write all steps in order: the JSON of `bench trajectory <run>`, from the first step on.',
      );
  });
  const evaluations = file.steps.flatMap((step) => step.evaluations).filter(({ status }) => status === 'ok');
  const steps = file.steps.flatMap(({ response, thought, action, observation }) =>
    action === null ? [] : [{ response, thought, action, observation }],
  );
  return {
    format: 'bench',
    steps,
    omitted: file.steps.length - steps.length,
    endedBy: file.endReason ?? null,
    scores: evaluations.map(({ metrics }) => metricsOf(metrics)).filter(present),
    workspace: file.workspace ?? null,
  };
}

/**
 * Reads a `.traj` of MLGym or SWE-agent, or the JSON of `bench trajectory <run>`. Entries without a
 * reply are omitted and counted. Throws a usage error with `source`, the key, and a remedy.
 */
export function readRecording(content: string, source: string): Recording {
  const value = parseJson(content, source);
  const has = (key: string): boolean => typeof value === 'object' && value !== null && Object.hasOwn(value, key);
  if (!has('trajectory') && !has('steps'))
    refuse(
      source,
      'has neither "trajectory" (a `.traj`) nor "steps" (the JSON of `bench trajectory <run>`)',
      'Name a file of one of these forms.',
    );
  const key = has('trajectory') ? 'trajectory' : 'steps';
  const recording = has('trajectory')
    ? fromMlgym(checked(mlgymFile, value, source))
    : fromBench(checked(benchFile, value, source), source);
  if (recording.steps.length + recording.omitted === 0)
    refuse(source, `${key}: is empty, so there is nothing to play`, 'Name the file of a run that took a step.');
  return recording;
}
