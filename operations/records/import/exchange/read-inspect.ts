import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { ExchangedEnd, WriteExchanged } from '../../../../domain/ports/imports.js';
import type { ExtraCall } from '../../../../domain/exchange/bench-extra.js';
import type { EndReason } from '../../../../domain/run/outcomes.js';
import { type Clipped, type Json, readJson } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { UnreadableFile } from '../unreadable-file.js';
import type { SourceRun } from './import-file.js';
import { amountOf, countOf, type Fields, fieldsOf, listOf, numberOf, textOf, timeOf } from './json-values.js';
import { KeptText } from './kept-text.js';
import { TEXT_LIMIT } from './text-limit.js';
import { endOf, recordOf, runExtraOf, scoresOf } from './source-run.js';
import { stepExtraOf, stepRow, type SourceStep } from './source-step.js';
import type { ZipMembers } from './zip-members.js';

/** Inspect's kinds of events. Only `model` and `score` are read; the others repeat other parts. */
const KINDS = new Set([
  ...['sample_init', 'sample_limit', 'sandbox', 'state', 'store', 'model', 'tool', 'approval', 'checkpoint', 'branch'],
  ...[
    'compaction',
    'input',
    'score',
    'score_edit',
    'error',
    'logger',
    'info',
    'span_begin',
    'span_end',
    'step',
    'subtask',
  ],
  ...['anchor', 'interrupt', 'timeline', 'cancelled', 'server_tool', 'skill', 'review', 'sentinel'],
]);

/** Inspect's own have 22 characters. */
const LONGEST_ID = 1000;

/** A scorer whose value has several keys gives a score per key, named after it. */
interface RankingScore {
  name: string;
  scorer: string | null;
}

export interface InspectLog {
  file: string;
  eval: Fields;
  /** The score that ranks: the first. */
  ranks: RankingScore | null;
  samples: string[];
}

/** The log's header, or its beginning. */
export async function readLogHead(zip: ZipMembers, path: string, remarks: Remarks): Promise<InspectLog> {
  const file = basename(path);
  const names = zip.names();
  const samples = names.filter((name) => /^samples\/.+\.json$/s.test(name));
  const from = ['header.json', '_journal/start.json'].find((name) => names.includes(name));
  if (from === undefined)
    throw new UnreadableFile(
      file,
      '_journal/start.json',
      'missing_key',
      'neither a header nor a journal: not an Inspect log',
    );
  if (from !== 'header.json')
    remarks.odd(file, 'header.json', 'missing_key', 'the log was not finished; its journal is used');
  const head: Record<string, Json> = {};
  await readJson(zip.text(from), file, {
    lists: [],
    limit: () => TEXT_LIMIT,
    entry: () => undefined,
    value: (key, value) => void (head[key] = value),
  });
  const spec = fieldsOf(head['eval']);
  if (textOf(spec['task']) === null || textOf(spec['model']) === null)
    throw new UnreadableFile(file, `${from}: eval`, 'missing_key', 'task and model are missing');
  const first = fieldsOf(listOf(fieldsOf(head['results'])['scores'])[0]);
  const name = textOf(first['name']);
  const ranks = name === null ? null : { name, scorer: textOf(first['scorer']) };
  return { file, eval: spec, ranks, samples };
}

export async function readSample(
  zip: ZipMembers,
  log: InspectLog,
  member: string,
  remarks: Remarks,
): Promise<SourceRun> {
  const { file } = log;
  const hash = createHash('sha256').update(`${member}\0`);
  const seen = await firstLook(zip, log, member, remarks, hash);
  const { facts } = seen;
  const key = `${member}: metadata.bench`;
  const extra = runExtraOf(fieldsOf(facts['metadata'])['bench'], file, key, remarks);
  const id = typeof facts['id'] === 'number' ? String(facts['id']) : textOf(facts['id']);
  if (id === null) throw new UnreadableFile(file, `${member}: id`, 'missing_key', 'a text or a number was expected');
  const epoch = countOf(facts['epoch']) ?? 1;
  const all = finalScores(fieldsOf(facts['scores']), file, member, remarks);
  const scores = Object.fromEntries([...all].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
  const found = rankingMetric([...all.keys()], log.ranks);
  const metric = found ?? nameOf(log.ranks);
  if (extra === null && found === null && Object.keys(scores).length > 0)
    remarks.odd(
      file,
      `${member}: scores`,
      'no_score',
      `the log ranks by ${JSON.stringify(metric)}, which is not one of ${Object.keys(scores).join(', ')}: there is no final score`,
    );
  const record = {
    format: 'inspect' as const,
    source: textOf(facts['uuid']) ?? `${file}: ${member}`,
    contentHash: hash.digest('hex'),
    ...(extra === null
      ? foreignRecord(log, { id, epoch, metric, assumed: log.ranks === null && found === null })
      : recordOf(extra)),
  };
  return {
    record,
    steps: async (write) => {
      const messages = new Messages(seen, file, member, remarks, write);
      await readJson(zip.text(member), file, {
        lists: ['messages', 'events'],
        limit: () => TEXT_LIMIT,
        entry: (list, index, value, clipped) => {
          if (list !== 'messages') return;
          tellClipped(clipped, file, member, remarks);
          return messages.add(index, fieldsOf(value));
        },
        value: () => undefined,
      });
      await messages.end();
      const kept = {
        eval: log.eval,
        sample: { metadata: facts['metadata'] ?? null, input: facts['input'] ?? null, target: facts['target'] ?? null },
      };
      if (extra !== null) return { ...endOf(extra, messages.count), prompt: messages.prompt, kept };
      return { ...foreignEnd(facts, seen, messages, { scores, metric }), kept };
    },
  };
}

/** A sample that Inspect itself has played. */
function foreignRecord(
  log: InspectLog,
  sample: { id: string; epoch: number; metric: string; assumed: boolean },
): Omit<SourceRun['record'], 'format' | 'source' | 'contentHash'> {
  const model = textOf(log.eval['model']) ?? 'unknown';
  const name = `${textOf(log.eval['task']) ?? 'unknown'}/${sample.id}`;
  const [provider = '', ...rest] = model.split('/');
  return {
    task: {
      ...{ id: name, name, metric: sample.metric, assumed: sample.assumed },
      ...{ direction: 'maximize', min: null, max: null },
    },
    taskHash: null,
    model: { name: model, kind: 'real', provider, providerModel: rest.join('/') || model },
    agent: textOf(log.eval['solver']) ?? 'unknown',
    attempt: Math.max(1, sample.epoch),
    sampling: samplingOf(fieldsOf(log.eval['model_generate_config'])),
    ...{ seed: 0, maxSteps: 0, backend: 'docker', gpus: 0 },
    harnessVersion: `inspect ${textOf(fieldsOf(log.eval['packages'])['inspect_ai']) ?? ''}`.trim(),
  };
}

/** The sample's metric that ranks; null: none is the score that the log names. */
function rankingMetric(metrics: readonly string[], ranks: RankingScore | null): string | null {
  if (ranks === null) return metrics[0] ?? null;
  const { name } = ranks;
  return (
    metrics.find((one) => one === nameOf(ranks)) ??
    metrics.find((one) => one === name) ??
    // A score of several values has no number of its own: the first of them ranks.
    metrics.find((one) => one.startsWith(`${name}.`)) ??
    metrics.find((one) => one.endsWith(`.${name}`)) ??
    null
  );
}

/** The metric's name, for a sample without metrics. */
const nameOf = (ranks: RankingScore | null): string =>
  ranks === null
    ? 'score'
    : ranks.scorer === null || ranks.scorer === ranks.name
      ? ranks.name
      : `${ranks.scorer}.${ranks.name}`;

const samplingOf = (config: Fields) => ({
  ...(numberOf(config['temperature']) !== null && { temperature: numberOf(config['temperature']) ?? 0 }),
  ...(numberOf(config['top_p']) !== null && { topP: numberOf(config['top_p']) ?? 0 }),
});

interface Seen {
  facts: Record<string, Json>;
  attachments: Fields;
  /** Ids of this sample's model replies. */
  replies: Set<string>;
  /** By the reply's id. */
  usage: Map<string, ExtraCall>;
  times: Map<string, string>;
  /** Validations: the value, and the number of replies before. */
  scored: { value: number; replies: number }[];
}

/** All of a sample but its messages, which are read once their references are known. */
async function firstLook(
  zip: ZipMembers,
  { file }: InspectLog,
  member: string,
  remarks: Remarks,
  hash: { update(text: string): unknown },
): Promise<Seen> {
  const seen: Seen = { facts: {}, attachments: {}, replies: new Set(), usage: new Map(), times: new Map(), scored: [] };
  let replies = 0;
  const text = async function* (): AsyncGenerator<string> {
    for await (const piece of zip.text(member)) {
      hash.update(piece);
      yield piece;
    }
  };
  await readJson(text(), file, {
    lists: ['messages', 'events'],
    limit: () => TEXT_LIMIT,
    entry: (list, index, value) => {
      if (list === 'messages') return;
      const event = fieldsOf(value);
      const kind = textOf(event['event']);
      const at = `${member}: events[${index}].event`;
      if (kind === null) throw new UnreadableFile(file, at, 'wrong_type', 'the name of a kind was expected');
      if (!KINDS.has(kind))
        remarks.odd(file, at, 'unknown_kind', `${JSON.stringify(kind)} is an event of an unknown kind: omitted`);
      if (kind === 'model') {
        const output = fieldsOf(event['output']);
        const id = textOf(fieldsOf(fieldsOf(listOf(output['choices'])[0])['message'])['id']);
        replies += 1;
        if (id === null || id.length > LONGEST_ID) return;
        seen.replies.add(id);
        const time = timeOf(event['completed']) ?? timeOf(event['timestamp']);
        if (time !== null) seen.times.set(id, time);
        if (output['usage'] != null)
          seen.usage.set(
            id,
            usageOf(fieldsOf(output['usage']), event, file, `${member}: events[${index}].output.usage`, remarks),
          );
      } else if (kind === 'score' && event['intermediate'] === true) {
        const value = scoreValue(fieldsOf(event['score'])['value']);
        if (value === null) remarks.odd(file, `${member}: events[${index}].score.value`, 'not_a_number', 'no score');
        else seen.scored.push({ value, replies });
      }
    },
    value: (key, value, clipped) => {
      if (key === 'events_data' || key === 'store' || key === 'output') return;
      if (key === 'attachments') seen.attachments = fieldsOf(value);
      else seen.facts[key] = value;
      tellClipped(clipped, file, member, remarks);
    },
  });
  return seen;
}

function tellClipped(clipped: readonly Clipped[], file: string, member: string, remarks: Remarks): void {
  for (const { key, bytes } of clipped)
    remarks.odd(file, `${member}: ${key}`, 'clipped', `${bytes} bytes: its beginning and its end are kept`);
}

/**
 * Inspect counts tokens read from a cache, or written to it, apart from the input. Where input and
 * output alone are the total, as in logs of old versions, the input includes them.
 */
function wholeInput(usage: Fields, input: number, cached: number, written: number): number {
  const total = countOf(usage['total_tokens']);
  const includes = total === input + (countOf(usage['output_tokens']) ?? 0) && cached + written <= input;
  return includes ? input : input + cached + written;
}

function usageOf(usage: Fields, event: Fields, file: string, key: string, remarks: Remarks): ExtraCall {
  const count = (name: string): number => {
    const value = countOf(usage[name]);
    if (value === null && usage[name] != null)
      remarks.odd(file, `${key}.${name}`, 'not_a_number', 'a whole number from 0 was expected; omitted');
    return value ?? 0;
  };
  const [cached, written] = [count('input_tokens_cache_read'), count('input_tokens_cache_write')];
  const cost = amountOf(usage['total_cost']);
  const seconds = numberOf(event['working_time']);
  return {
    ...{
      try: 1,
      attempt: 1,
      status: 'confirmed',
      input_tokens: wholeInput(usage, count('input_tokens'), cached, written),
    },
    ...{ output_tokens: count('output_tokens'), cached_tokens: cached, cache_write_tokens: written },
    reasoning_tokens: count('reasoning_tokens'),
    ...(cost !== null && { cost_usd: cost }),
    ...(seconds !== null && seconds >= 0 && { ms: seconds * 1000 }),
  };
}

const LETTERS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };

/** A score as a number, Inspect's letters included. */
function scoreValue(value: Json | undefined): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string') return LETTERS[value] ?? null;
  return numberOf(value);
}

/** A score of several values is several metrics; null: not a number, with a remark. */
function finalScores(scores: Fields, file: string, member: string, remarks: Remarks): Map<string, number | null> {
  const metrics = new Map<string, number | null>();
  const add = (name: string, value: Json | undefined): void => {
    const number = scoreValue(value);
    if (number === null)
      remarks.odd(
        file,
        `${member}: scores.${name}`,
        'not_a_number',
        `${JSON.stringify(value) ?? 'nothing'} is not a number: omitted`,
      );
    metrics.set(name, number);
  };
  for (const [name, score] of Object.entries(scores)) {
    const { value } = fieldsOf(score);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [key, one] of Object.entries(value)) add(`${name}.${key}`, one);
    else add(name, value);
  }
  return metrics;
}

/** Builds steps from a conversation: each reply, with the messages before the next. */
class Messages {
  count = 0;
  readonly prompt: { role: string; content: string }[] = [];
  readonly #kept: { prompt: KeptText; held: KeptText };
  #held: { recorded: SourceStep; key: string; bench: Json | undefined } | null = null;

  constructor(
    readonly seen: Seen,
    readonly file: string,
    readonly member: string,
    readonly remarks: Remarks,
    readonly write: WriteExchanged,
  ) {
    this.#kept = { prompt: new KeptText(file), held: new KeptText(file) };
  }

  async add(index: number, message: Fields): Promise<void> {
    const key = `${this.member}: messages[${index}]`;
    const role = textOf(message['role']);
    if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool')
      throw new UnreadableFile(
        this.file,
        `${key}.role`,
        'unknown_kind',
        `${JSON.stringify(role)} is not system, user, assistant or tool`,
      );
    const { text, reasoning } = this.#content(message['content'], key);
    const { bench } = fieldsOf(message['metadata']);
    const id = textOf(message['id']) ?? '';
    // Demonstrations and earlier messages. A solver marks all of its input, even replies made here.
    const given = 'prompt' in fieldsOf(bench) || (message['source'] === 'input' && !this.seen.replies.has(id));
    if (role === 'assistant' && !given) {
      await this.#flush();
      this.#kept.held.begin();
      this.#held = {
        ...{ key, bench },
        recorded: {
          ...{ text, reasoning, observation: null, usage: this.seen.usage.get(id) ?? null },
          at: timeOf(fieldsOf(bench)['at']) ?? this.seen.times.get(id) ?? null,
          ...this.#calls(message, fieldsOf(bench)),
        },
      };
      return;
    }
    if (this.#held === null) {
      this.#kept.prompt.add(text, key);
      this.prompt.push({ role, content: text });
      return;
    }
    const { recorded, bench: own } = this.#held;
    // In bench's own steps the other calls did not run.
    if (own !== undefined && recorded.observation !== null) return;
    if (role === 'assistant')
      this.remarks.odd(
        this.file,
        key,
        'message_in_observation',
        'an input of the assistant between steps: added to the observation before it',
      );
    this.#kept.held.add(text, key);
    const error = textOf(fieldsOf(message['error'])['message']);
    const said = own === undefined && error !== null && text === '' ? error : text;
    recorded.observation = recorded.observation === null ? said : `${recorded.observation}\n${said}`;
  }

  async end(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#held === null) return;
    const { recorded, key, bench } = this.#held;
    this.count += 1;
    await this.write(
      stepRow(this.count, recorded, stepExtraOf(bench, this.file, `${key}.metadata.bench`, this.remarks)),
    );
    this.#held = null;
  }

  #calls(message: Fields, bench: Fields): Pick<SourceStep, 'calls' | 'synthetic'> {
    const sent = listOf(bench['sent']).map(fieldsOf);
    const calls = listOf(message['tool_calls']).map((value, index) => {
      const call = fieldsOf(value);
      return {
        ...{
          id: textOf(call['id']) ?? '',
          name: textOf(call['function']) ?? '',
          arguments: this.#resolved(call['arguments'] ?? {}),
        },
        ...{ argumentsText: textOf(sent[index]?.['arguments_text']), sentId: textOf(sent[index]?.['id']) },
      };
    });
    return { calls, synthetic: bench['synthetic'] === true };
  }

  #content(value: Json | undefined, key: string): { text: string; reasoning: string | null } {
    if (typeof value === 'string') return { text: this.#resolvedText(value), reasoning: null };
    const reasoning: string[] = [];
    const texts = listOf(value).flatMap((part) => {
      const fields = fieldsOf(part);
      if (fields['type'] === 'text') return [this.#resolvedText(textOf(fields['text']) ?? '')];
      if (fields['type'] === 'reasoning') reasoning.push(this.#resolvedText(textOf(fields['reasoning']) ?? ''));
      else
        this.remarks.odd(
          this.file,
          key,
          'part_left_out',
          `a part of the type ${JSON.stringify(fields['type'] ?? null)} is omitted`,
        );
      return [];
    });
    return { text: texts.join('\n'), reasoning: reasoning.length === 0 ? null : reasoning.join('\n') };
  }

  #resolvedText(text: string): string {
    const [, name] = /^attachment:\/\/(.+)$/.exec(text) ?? [];
    return name === undefined ? text : (textOf(this.seen.attachments[name]) ?? text);
  }

  /** Inlines long texts that are stored apart. */
  #resolved(value: Json): Json {
    if (typeof value === 'string') return this.#resolvedText(value);
    if (Array.isArray(value)) return value.map((one) => this.#resolved(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#resolved(one)]));
  }
}

const LIMITS: Readonly<Record<string, EndReason>> = {
  ...{
    turn: 'max_steps',
    message: 'max_steps',
    time: 'wall_time',
    working: 'wall_time',
    token: 'tokens',
    cost: 'cost',
    context: 'context',
  },
};

function foreignEnd(
  facts: Fields,
  seen: Seen,
  messages: Messages,
  { scores, metric }: { scores: Record<string, number>; metric: string },
): Omit<ExchangedEnd, 'kept'> {
  const error = textOf(fieldsOf(facts['error'])['message']);
  const limit = textOf(fieldsOf(facts['limit'])['type']);
  const primary = scores[metric] ?? null;
  const scored = Object.keys(scores).length > 0;
  const endReason =
    error !== null ? 'runtime' : limit !== null ? (LIMITS[limit] ?? 'unknown') : scored ? 'submit' : 'unknown';
  const last = Math.max(messages.count, 1);
  // A step stores one validation: the last.
  const validations = new Map(seen.scored.map(({ value, replies }) => [Math.min(Math.max(replies, 1), last), value]));
  const evaluations = [
    ...[...validations].map(([step, value], index) => ({
      ...{ step, kind: 'validate' as const, split: 'test', number: index + 1, status: 'ok' as const },
      ...{ metrics: { [metric]: value }, primary: value, suspect: false, message: '', ms: null },
    })),
    ...(scored
      ? [
          {
            ...{
              step: last,
              kind: 'submit' as const,
              split: 'test',
              number: validations.size + 1,
              status: 'ok' as const,
            },
            ...{ metrics: scores, primary, suspect: false, message: '', ms: null },
          },
        ]
      : []),
  ];
  const values = evaluations.flatMap((one) => (one.primary === null ? [] : [one.primary]));
  const usage = { input: 0, output: 0, cached: 0, reasoning: 0, cacheWrite: 0 };
  let cost: number | null = null;
  for (const one of Object.values(fieldsOf(facts['model_usage'])).map(fieldsOf)) {
    const [cached, written] = [
      countOf(one['input_tokens_cache_read']) ?? 0,
      countOf(one['input_tokens_cache_write']) ?? 0,
    ];
    usage.input += wholeInput(one, countOf(one['input_tokens']) ?? 0, cached, written);
    usage.output += countOf(one['output_tokens']) ?? 0;
    usage.cached += cached;
    usage.cacheWrite += written;
    usage.reasoning += countOf(one['reasoning_tokens']) ?? 0;
    const spent = numberOf(one['total_cost']);
    if (spent !== null) cost = (cost ?? 0) + spent;
  }
  const started = timeOf(facts['started_at']);
  return {
    ...{ steps: messages.count, endReason, finalEvaluation: scored ? 'ok' : 'not_run' },
    ...{ exitStatus: error !== null ? 'error' : (limit ?? (scored ? 'submitted' : 'not recorded')), detail: error },
    ...{ usage, costUsd: amountOf(cost), bestScore: scoresOf(values).best, finalScore: primary, evaluations },
    ...{ calls: [], workspace: null, isolation: null, createdAt: started, startedAt: started },
    ...{ endedAt: timeOf(facts['completed_at']), prompt: messages.prompt },
  };
}
