import type { Json } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { type Fields, fieldsOf, listOf, textOf } from './json-values.js';

const STEP = [
  ...['step_id', 'timestamp', 'source', 'model_name', 'reasoning_effort', 'message', 'reasoning_content', 'tool_calls'],
  ...['observation', 'metrics', 'is_copied_context', 'llm_call_count', 'extra'],
];
const CALL = ['tool_call_id', 'function_name', 'arguments', 'extra'];
const RESULT = ['source_call_id', 'content', 'subagent_trajectory_ref', 'extra'];
const METRICS = [
  ...['prompt_tokens', 'completion_tokens', 'cached_tokens', 'cost_usd', 'prompt_token_ids', 'completion_token_ids'],
  ...['logprobs', 'extra'],
];
const FINAL = [
  ...[
    'total_prompt_tokens',
    'total_completion_tokens',
    'total_cached_tokens',
    'total_cost_usd',
    'total_steps',
    'extra',
  ],
];

/** Remarks once per file and kind on what is lost of a step. `own`: bench wrote the step. */
export function tellLosses(step: Fields, at: string, own: boolean, file: string, remarks: Remarks): void {
  const unknown = (value: Json | undefined, place: string, known: readonly string[]): void => {
    for (const key of Object.keys(fieldsOf(value)))
      if (!known.includes(key))
        remarks.counted(
          file,
          `${place}.${key}`,
          'unknown_key',
          'not of ATIF: omitted',
          `${place.replaceAll(/\d+/g, '')}.${key}`,
        );
  };
  const dropped = (value: Json | undefined, place: string, keys: readonly string[]): void => {
    if (own) return;
    const fields = fieldsOf(value);
    for (const key of keys)
      if (fields[key] != null && !isEmpty(fields[key]))
        remarks.counted(file, `${place}.${key}`, 'left_out', 'not kept', `${place.replaceAll(/\d+/g, '')}.${key}`);
  };
  unknown(step, at, STEP);
  dropped(step, at, ['reasoning_effort']);
  const { bench: _, ...extra } = fieldsOf(step['extra']);
  dropped({ extra }, at, ['extra']);
  if (Number(step['llm_call_count'] ?? 0) > 1) dropped(step, at, ['llm_call_count']);
  unknown(step['metrics'], `${at}.metrics`, METRICS);
  dropped(step['metrics'], `${at}.metrics`, ['prompt_token_ids', 'completion_token_ids', 'logprobs', 'extra']);
  const ids = new Set<string | null>();
  for (const [index, call] of listOf(step['tool_calls']).entries()) {
    ids.add(textOf(fieldsOf(call)['tool_call_id']));
    unknown(call, `${at}.tool_calls[${index}]`, CALL);
    const { synthetic: _, arguments_text: __, sent_id: ___, ...more } = fieldsOf(fieldsOf(call)['extra']);
    dropped({ extra: more }, `${at}.tool_calls[${index}]`, ['extra']);
  }
  unknown(step['observation'], `${at}.observation`, ['results']);
  for (const [index, result] of listOf(fieldsOf(step['observation'])['results']).entries()) {
    const place = `${at}.observation.results[${index}]`;
    const of = fieldsOf(result)['source_call_id'] ?? null;
    if (of !== null && !ids.has(textOf(of)))
      remarks.counted(
        file,
        `${place}.source_call_id`,
        'unknown_call',
        'names no call of its step; the text is kept as its observation',
      );
    unknown(result, place, RESULT);
    dropped(result, place, ['subagent_trajectory_ref', 'extra']);
  }
}

/** `steps`: those read, and how many of them were copied from another trajectory. */
export function tellFinalLosses(
  final: Fields,
  steps: { read: number; copied: number },
  file: string,
  remarks: Remarks,
): void {
  for (const key of Object.keys(final))
    if (!FINAL.includes(key)) remarks.odd(file, `final_metrics.${key}`, 'unknown_key', 'not of ATIF: omitted');
  const said = final['total_steps'];
  if (said != null && said !== steps.read && said !== steps.read - steps.copied)
    remarks.odd(
      file,
      'final_metrics.total_steps',
      'totals_differ',
      `${JSON.stringify(said)}, while the file has ${steps.read} steps: all are taken`,
    );
}

const isEmpty = (value: Json | undefined): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
