import { join } from 'node:path';
import { UNSCORED_ENDS } from '../../../../domain/run/outcomes.js';
import { type Json, readJson } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { textChunks } from '../text-chunks.js';
import { faultOf, type TrialFault } from './harbor-ends.js';
import { countOf, type Fields, fieldsOf, listOf, numberOf, readTime, textOf } from './json-values.js';
import { TEXT_LIMIT } from './text-limit.js';

export const RESULT = 'result.json';

/** A trial by Harbor's `result.json`. */
export interface TrialResult {
  /** Equal for every import of this trial, and unique to it. */
  identity: string | null;
  task: string | null;
  model: string | null;
  metric: string;
  /** Of the trial, and as `<step>.<reward>` of the steps of its task. */
  metrics: Record<string, number>;
  /** Null: the verifier gave no number that ranks. */
  score: number | null;
  fault: TrialFault | null;
  startedAt: string | null;
  endedAt: string | null;
  usage: { input: number | null; output: number | null; cached: number | null; cost: number | null };
  steps: readonly string[];
  exception: Json;
}

export async function readTrialResult(folder: string, remarks: Remarks): Promise<TrialResult> {
  const result: Record<string, Json> = {};
  await readJson(textChunks(join(folder, RESULT), RESULT), RESULT, {
    lists: [],
    limit: () => TEXT_LIMIT,
    entry: () => undefined,
    value: (key, value) => void (result[key] = value),
  });
  const { rewards, metric } = rewardsOf(result, 'verifier_result', remarks);
  const steps = listOf(result['step_results']).map(fieldsOf);
  const metrics = { ...rewards };
  for (const [index, step] of steps.entries()) {
    const name = textOf(step['step_name']) ?? String(index + 1);
    const own = rewardsOf(step, `step_results[${index}].verifier_result`, remarks).rewards;
    for (const [key, value] of Object.entries(own)) metrics[`${name}.${key}`] = value;
  }
  const score = rewards[metric] ?? null;
  const given = faultOf(result);
  const fault =
    given !== null && UNSCORED_ENDS.includes(given.reason) ? given : (unusable(result, score, given) ?? given);
  const time = (key: string): string | null => timeIn(result, key, remarks);
  return {
    identity: identityOf(result),
    task: textOf(result['task_name']),
    model: modelOf(result),
    ...{ metric, metrics, score, fault },
    ...{ startedAt: time('started_at'), endedAt: time('finished_at') },
    usage: usageOf(result, steps),
    steps: steps.flatMap(({ step_name: name }) => textOf(name) ?? []),
    exception: result['exception_info'] ?? null,
  };
}

/** Each job draws trial names again, and they are short: the id comes first. */
function identityOf(result: Fields): string | null {
  const id = textOf(result['id']);
  if (id !== null) return id;
  const name = textOf(result['trial_name']);
  const job = textOf(fieldsOf(result['config'])['job_id']);
  return name === null || job === null ? name : `${job}/${name}`;
}

function modelOf(result: Fields): string | null {
  const { name, provider } = fieldsOf(fieldsOf(result['agent_info'])['model_info']);
  const model = textOf(name);
  return model === null || textOf(provider) === null ? model : `${textOf(provider)}/${model}`;
}

/** `reward` ranks, else the first, even if it is not a number: no other replaces it. */
function rewardsOf(holder: Fields, key: string, remarks: Remarks): { rewards: Record<string, number>; metric: string } {
  const given = fieldsOf(fieldsOf(holder['verifier_result'])['rewards']);
  const rewards: Record<string, number> = {};
  for (const [name, value] of Object.entries(given)) {
    const number = numberOf(value);
    if (number === null) remarks.odd(RESULT, `${key}.rewards.${name}`, 'not_a_number', 'no score');
    else rewards[name] = number;
  }
  return { rewards, metric: 'reward' in given ? 'reward' : (Object.keys(given)[0] ?? 'reward') };
}

/** The verifier ran to its end, but gave nothing that ranks. */
const unusable = (result: Fields, score: number | null, given: TrialFault | null): TrialFault | null =>
  score !== null || result['verifier_result'] == null
    ? null
    : {
        ...{ reason: 'infra_error', type: given?.type ?? 'no reward', ofVerifier: true },
        detail: ['the verifier gave no reward that is a number', given?.detail].filter(Boolean).join('; '),
      };

function timeIn(result: Fields, key: string, remarks: Remarks): string | null {
  const value = result[key];
  const time = readTime(value);
  if (time === null && value != null) remarks.odd(RESULT, key, 'wrong_type', 'not a time in ISO 8601: omitted');
  if (time?.zoned === false) remarks.odd(RESULT, key, 'no_zone', 'a time without a zone: read as UTC');
  return time?.at ?? null;
}

/** The agent's report to Harbor, for all steps together. */
function usageOf(result: Fields, steps: readonly Fields[]): TrialResult['usage'] {
  const given = [result, ...steps].map((holder) => fieldsOf(holder['agent_result']));
  const sum = (values: readonly (number | null)[]): number | null =>
    values.reduce((a, b) => (b === null ? a : (a ?? 0) + b), null);
  return {
    input: sum(given.map((one) => countOf(one['n_input_tokens']))),
    output: sum(given.map((one) => countOf(one['n_output_tokens']))),
    cached: sum(given.map((one) => countOf(one['n_cache_tokens']))),
    cost: sum(given.map((one) => numberOf(one['cost_usd']))),
  };
}
