import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ExchangedEnd, WriteExchanged } from '../../../../db/index.js';
import type { ExtraCall } from '../../../../domain/exchange/bench-extra.js';
import { type Json, readJson } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { textChunks } from '../text-chunks.js';
import { UnreadableFile } from '../unreadable-file.js';
import type { ToldRun } from './import-file.js';
import { amountOf, countOf, type Fields, fieldsOf, listOf, numberOf, textOf, timeOf } from './json-values.js';
import { KeptText } from './kept-text.js';
import { endOf, recordOf, runExtraOf, scoresOf } from './told-run.js';
import { stepExtraOf, stepRow, type ToldStep } from './told-step.js';

/** Kept of a text: all of it up to 4 MiB. */
export const TEXT_LIMIT = { head: 2 * 1024 * 1024, tail: 2 * 1024 * 1024 };
const VERSIONS = /^ATIF-v1\.[0-8]$/;
const ROOT_KEYS = [
  ...['schema_version', 'session_id', 'trajectory_id', 'agent', 'steps', 'notes', 'final_metrics', 'extra'],
  ...['continued_trajectory_ref', 'subagent_trajectories'],
];
const STEP_KEYS = [
  ...['step_id', 'timestamp', 'source', 'model_name', 'reasoning_effort', 'message', 'reasoning_content', 'tool_calls'],
  ...['observation', 'metrics', 'is_copied_context', 'llm_call_count', 'extra'],
];

export interface AtifOptions {
  /** The task, where the file does not say. */
  task: string | null;
}

/** A trajectory file; beside it, in a trial folder of Harbor, its result. */
export async function readAtif(path: string, { task }: AtifOptions, remarks: Remarks): Promise<ToldRun> {
  const file = basename(path);
  const head: Record<string, Json> = {};
  await readJson(textChunks(path, file), file, {
    lists: ['steps'],
    limit: () => TEXT_LIMIT,
    entry: () => undefined,
    value: (key, value) => void (head[key] = value),
  });
  const version = textOf(head['schema_version']);
  if (version === null || !VERSIONS.test(version))
    throw new UnreadableFile(
      file,
      'schema_version',
      'unknown_version',
      `${JSON.stringify(version)} is not ATIF-v1.0 to v1.8`,
    );
  for (const key of Object.keys(head))
    if (!ROOT_KEYS.includes(key)) remarks.odd(file, key, 'unknown_key', 'not of ATIF: left out');
  if (head['subagent_trajectories'] !== undefined)
    remarks.odd(file, 'subagent_trajectories', 'left_out', 'trajectories of subagents are not read');
  const agent = fieldsOf(head['agent']);
  const bench = fieldsOf(head['extra'])['bench'];
  const extra = runExtraOf(bench, file, 'extra.bench', remarks);
  const trial = extra === null ? await readTrial(path, remarks) : null;
  const model = textOf(agent['model_name']) ?? 'unknown';
  const identity = {
    format: 'atif' as const,
    source: textOf(head['trajectory_id']) ?? textOf(head['session_id']) ?? file,
  };
  const record = {
    ...identity,
    contentHash: await hashOf(path),
    ...(extra === null
      ? {
          task: {
            ...{ id: task ?? trial?.task ?? 'unknown', name: task ?? trial?.task ?? 'unknown' },
            ...{
              metric: trial?.metric ?? 'reward',
              assumed: trial === null,
              direction: 'maximize' as const,
              min: null,
              max: null,
            },
          },
          taskHash: null,
          model: {
            name: model,
            kind: 'real' as const,
            provider: model.split('/')[0] ?? 'unknown',
            providerModel: model,
          },
          agent: textOf(agent['name']) ?? 'unknown',
          ...{ attempt: 1, sampling: {}, seed: 0, maxSteps: 0, backend: 'docker' as const, gpus: 0 },
          harnessVersion: `harbor ${textOf(agent['version']) ?? ''}`.trim(),
        }
      : recordOf(extra)),
  };
  return {
    record,
    steps: async (write) => {
      const steps = new AtifSteps(file, remarks, write);
      await readJson(textChunks(path, file), file, {
        lists: ['steps'],
        limit: () => TEXT_LIMIT,
        entry: (_, index, value, clipped) => {
          for (const { key, bytes } of clipped)
            remarks.odd(file, key, 'clipped', `${bytes} bytes: its beginning and its end are kept`);
          return steps.add(index, fieldsOf(value));
        },
        value: () => undefined,
      });
      await steps.end();
      if (steps.entries === 0) throw new UnreadableFile(file, 'steps', 'missing_key', 'there are no steps');
      const kept = { agent, notes: head['notes'] ?? null, extra: head['extra'] ?? null };
      if (extra !== null) return { ...endOf(extra, steps.count), prompt: steps.prompt, kept };
      return { ...foreignEnd(fieldsOf(head['final_metrics']), trial, steps, file, remarks), kept };
    },
  };
}

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return hash.digest('hex');
};

class AtifSteps {
  count = 0;
  entries = 0;
  readonly prompt: { role: string; content: string }[] = [];
  readonly totals = { input: 0, output: 0, cached: 0, cost: 0 };
  readonly #kept: { prompt: KeptText; held: KeptText };
  #held: { told: ToldStep; extra: ReturnType<typeof stepExtraOf> } | null = null;
  #first: string | null = null;
  #last: string | null = null;

  constructor(
    readonly file: string,
    readonly remarks: Remarks,
    readonly write: WriteExchanged,
  ) {
    this.#kept = { prompt: new KeptText(file), held: new KeptText(file) };
  }

  get times(): { first: string | null; last: string | null } {
    return { first: this.#first, last: this.#last };
  }

  async add(index: number, step: Fields): Promise<void> {
    const { file, remarks } = this;
    const at = `steps[${index}]`;
    this.entries += 1;
    for (const key of Object.keys(step))
      if (!STEP_KEYS.includes(key)) remarks.odd(file, `${at}.${key}`, 'unknown_key', 'not of ATIF: left out');
    if (step['step_id'] !== index + 1)
      remarks.odd(file, `${at}.step_id`, 'step_order', `${index + 1} was expected; taken in the file's order`);
    const source = textOf(step['source']);
    if (source !== 'system' && source !== 'user' && source !== 'agent')
      throw new UnreadableFile(
        file,
        `${at}.source`,
        'unknown_kind',
        `${JSON.stringify(source)} is not system, user or agent`,
      );
    const message = this.#content(step['message'], `${at}.message`);
    const time = timeOf(step['timestamp']);
    if (step['timestamp'] != null && time === null)
      remarks.odd(file, `${at}.timestamp`, 'wrong_type', 'no time: left out');
    this.#first ??= time;
    this.#last = time ?? this.#last;
    const own = fieldsOf(fieldsOf(step['extra'])['bench']);
    const asked = textOf(own['prompt']);
    if (asked === 'none') return;
    if (asked !== null || (source !== 'agent' && this.count === 0 && this.#held === null)) {
      this.#kept.prompt.add(message, at);
      this.prompt.push({ role: asked ?? source, content: message });
      return;
    }
    if (source !== 'agent') {
      remarks.odd(
        file,
        at,
        'message_in_observation',
        `a message of the ${source} between steps: added to the observation before it`,
      );
      this.#kept.held.add(message, at);
      if (this.#held !== null)
        this.#held.told.observation = [this.#held.told.observation, message].filter((text) => text !== null).join('\n');
      return;
    }
    await this.#flush();
    this.#kept.held.begin();
    this.#held = {
      told: {
        ...{ text: message, reasoning: textOf(step['reasoning_content']), at: time },
        ...this.#calls(step, at),
        observation: this.#observation(step, at, own),
        usage: this.#usage(step, at),
      },
      extra: stepExtraOf(fieldsOf(step['extra'])['bench'], file, `${at}.extra.bench`, remarks),
    };
  }

  async end(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#held === null) return;
    this.count += 1;
    await this.write(stepRow(this.count, this.#held.told, this.#held.extra));
    this.#held = null;
  }

  #content(value: Json | undefined, key: string): string {
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) {
      this.remarks.odd(
        this.file,
        key,
        value == null ? 'missing_key' : 'wrong_type',
        'a text was expected; taken as empty',
      );
      return '';
    }
    return value
      .map((part) => {
        const fields = fieldsOf(part);
        if (fields['type'] === 'text') return textOf(fields['text']) ?? '';
        this.remarks.odd(
          this.file,
          key,
          'part_left_out',
          `a part of the type ${JSON.stringify(fields['type'] ?? null)} is left out`,
        );
        return '';
      })
      .join('\n');
  }

  #calls(step: Fields, at: string): Pick<ToldStep, 'calls' | 'synthetic'> {
    const seen = new Set<string>();
    let synthetic = false;
    const calls = listOf(step['tool_calls']).map((value, index) => {
      const call = fieldsOf(value);
      const extra = fieldsOf(call['extra']);
      if (extra['synthetic'] === true) synthetic = true;
      const id = textOf(call['tool_call_id']) ?? '';
      if (seen.has(id))
        this.remarks.odd(
          this.file,
          `${at}.tool_calls[${index}].tool_call_id`,
          'doubled_id',
          'another call of the step has it',
        );
      seen.add(id);
      return {
        ...{ id, name: textOf(call['function_name']) ?? '', arguments: call['arguments'] ?? {} },
        ...{ argumentsText: textOf(extra['arguments_text']), sentId: textOf(extra['sent_id']) },
      };
    });
    return { calls, synthetic };
  }

  #observation(step: Fields, at: string, own: Fields): string | null {
    const results = listOf(fieldsOf(step['observation'])['results']);
    if (results.length === 0) return null;
    // Where bench wrote it the others say that they were not run.
    const read = own['step'] === undefined ? results : results.slice(0, 1);
    return read
      .map((value, index) => {
        const { content } = fieldsOf(value);
        return content == null ? '' : this.#content(content, `${at}.observation.results[${index}].content`);
      })
      .join('\n');
  }

  #usage(step: Fields, at: string): ExtraCall | null {
    if (step['metrics'] == null) return null;
    const metrics = fieldsOf(step['metrics']);
    const count = (key: string): number | undefined => {
      const value = metrics[key];
      const number = countOf(value);
      if (number === null && value != null)
        this.remarks.odd(
          this.file,
          `${at}.metrics.${key}`,
          'not_a_number',
          'a whole number from 0 was expected; left out',
        );
      return number ?? undefined;
    };
    const [input, output, cached] = [count('prompt_tokens'), count('completion_tokens'), count('cached_tokens')];
    const cost = amountOf(metrics['cost_usd']);
    if (cost === null && metrics['cost_usd'] != null)
      this.remarks.odd(this.file, `${at}.metrics.cost_usd`, 'not_a_number', 'an amount was expected; left out');
    this.totals.input += input ?? 0;
    this.totals.output += output ?? 0;
    this.totals.cached += cached ?? 0;
    this.totals.cost += Number(cost ?? 0);
    return {
      ...{ try: 1, attempt: 1, status: 'confirmed' },
      ...(input !== undefined && { input_tokens: input }),
      ...(output !== undefined && { output_tokens: output }),
      ...(cached !== undefined && { cached_tokens: cached }),
      ...(cost !== null && { cost_usd: cost }),
    };
  }
}

interface Trial {
  task: string | null;
  metric: string;
  metrics: Record<string, number>;
  fault: string | null;
}

/** What Harbor's `result.json` says of the trial whose trajectory this is. */
async function readTrial(path: string, remarks: Remarks): Promise<Trial | null> {
  const file = 'result.json';
  const beside = join(dirname(dirname(path)), file);
  if (basename(dirname(path)) !== 'agent' || !existsSync(beside)) return null;
  const result: Record<string, Json> = {};
  await readJson(textChunks(beside, file), file, {
    lists: [],
    limit: () => TEXT_LIMIT,
    entry: () => undefined,
    value: (key, value) => void (result[key] = value),
  });
  const metrics: Record<string, number> = {};
  for (const [key, value] of Object.entries(fieldsOf(fieldsOf(result['verifier_result'])['rewards']))) {
    const number = numberOf(value);
    if (number === null) remarks.odd(file, `verifier_result.rewards.${key}`, 'not_a_number', 'no score');
    else metrics[key] = number;
  }
  const fault = fieldsOf(result['exception_info']);
  return {
    task: textOf(result['task_name']),
    metric: 'reward' in metrics ? 'reward' : (Object.keys(metrics)[0] ?? 'reward'),
    metrics,
    fault: textOf(fault['exception_message']) ?? textOf(fault['exception_type']),
  };
}

/** Of another tool's file; what it does not say is unknown. */
function foreignEnd(
  final: Fields,
  trial: Trial | null,
  steps: AtifSteps,
  file: string,
  remarks: Remarks,
): Omit<ExchangedEnd, 'kept'> {
  const total = (key: string, sum: number): number => {
    const said = countOf(final[key]);
    if (said === null && final[key] != null)
      remarks.odd(
        file,
        `final_metrics.${key}`,
        'not_a_number',
        'a whole number from 0 was expected; the sum of the steps is taken',
      );
    else if (said !== null && sum > 0 && said !== sum)
      remarks.odd(
        file,
        `final_metrics.${key}`,
        'totals_differ',
        `${said}, while the steps' sum is ${sum}: the total counts`,
      );
    return said ?? sum;
  };
  const score = trial?.metrics[trial.metric];
  const { best, final: last } = scoresOf(score === undefined ? [] : [score]);
  const { first, last: ended } = steps.times;
  if (score === undefined)
    remarks.odd(
      file,
      '',
      'no_score',
      'ATIF has no scores, and no result.json of Harbor lies above its folder: why the run ended is unknown',
    );
  return {
    steps: steps.count,
    endReason: trial?.fault != null ? 'runtime' : score === undefined ? 'unknown' : 'submit',
    finalEvaluation: score === undefined ? 'not_run' : 'ok',
    exitStatus: score === undefined ? 'not recorded' : 'submitted',
    detail: trial?.fault ?? null,
    usage: {
      ...{
        input: total('total_prompt_tokens', steps.totals.input),
        output: total('total_completion_tokens', steps.totals.output),
      },
      ...{ cached: total('total_cached_tokens', steps.totals.cached), reasoning: 0, cacheWrite: 0 },
    },
    costUsd: amountOf(final['total_cost_usd']) ?? amountOf(steps.totals.cost),
    ...{ bestScore: best, finalScore: last },
    evaluations:
      score === undefined
        ? []
        : [
            {
              ...{ step: Math.max(steps.count, 1), kind: 'submit', split: 'test', number: 1, status: 'ok' },
              ...{ metrics: trial?.metrics ?? {}, primary: score, suspect: false, message: '', ms: null },
            },
          ],
    ...{
      calls: [],
      workspace: null,
      isolation: null,
      createdAt: first,
      startedAt: first,
      endedAt: ended,
      prompt: steps.prompt,
    },
  };
}
