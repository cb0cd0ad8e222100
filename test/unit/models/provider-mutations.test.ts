import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROVIDER_OF_CLIENT, type ProgramClient } from '../../../domain/agent/program.js';
import { isJson, type Json } from '../../../domain/gateway/json.js';
import { wireOf } from '../../../domain/gateway/wires.js';
import { modelConfigSchema } from '../../../domain/model/config.js';
import type { ModelReply } from '../../../domain/model/model.js';
import { ProviderError } from '../../../domain/model/provider-error.js';
import type { MeteredCalls } from '../../../domain/ports/metered-calls.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import { meteredCalls, type MeteredPorts } from '../../../models/gateway/metered-calls.js';
import { providerAccess } from '../../../models/provider-access.js';
import { createProviderModels } from '../../../models/provider-models.js';
import { isOfAgents, PRICES, PROVIDER_CASES, type ProviderCase } from '../../fakes/providers/cases.js';
import { type ScriptedProvider, startScriptedProvider } from '../../fakes/providers/server.js';
import { LONG } from '../../setup/long.js';

const MUTATIONS = LONG ? 200 : 5;
const SEED = Number(process.env['BENCH_TEST_SEED'] ?? 20_261_128);
const ENV = { THE_KEY: 'canary-key-of-the-provider-0123456789' };
const WINDOW = 100_000;
const never = new AbortController().signal;
let provider: ScriptedProvider;
beforeAll(async () => {
  provider = await startScriptedProvider();
});
afterAll(() => provider.close());

/** What a call came to: its charge, and null if it brought no reply. */
interface Outcome {
  charged: 'nothing' | 'the reservation' | { usd: string };
  reply: ModelReply | null;
}

const models = new Map<string, RunDefinition['model']>();
const ports = createProviderModels(ENV);

function modelOf({ wire, dialect }: Pick<ProviderCase, 'wire' | 'dialect'>): RunDefinition['model'] {
  const name = `${wire}/${dialect ?? ''}`;
  const known = models.get(name);
  if (known !== undefined) return known;
  const own = wire === 'gemini' ? wire : PROVIDER_OF_CLIENT[wire][0]!;
  const kind = dialect === undefined ? own : 'openai-compatible';
  const config = modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', provider: kind, model: 'the-model', apiKeyVariable: 'THE_KEY' },
    ...(wire === 'openai-responses' && { api: 'responses' }),
    ...(dialect !== undefined && { dialect }),
    baseUrl: kind === 'anthropic' || kind === 'gemini' ? provider.url : `${provider.url}/v1`,
    ...{ contextWindow: WINDOW, maxOutputTokens: 2000, prices: [PRICES] },
  });
  const model = { name: 'alias', kind: 'real' as const, provider: kind, model: 'the-model', config };
  models.set(name, model);
  return model;
}

async function byAgent(one: ProviderCase): Promise<Outcome> {
  const model = modelOf(one);
  const messages = [{ role: 'user' as const, content: 'play' }];
  try {
    const reply = await ports
      .get(model.provider as 'openai')!
      .complete({ model, messages, sampling: {}, seed: 1 }, never);
    return { reply, charged: reply.usageProblem === undefined ? { usd: reply.costUsd } : 'the reservation' };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { reply: null, charged: error.billed === 'no' ? 'nothing' : 'the reservation' };
  }
}

/** The ledger of one call, in memory. */
function memoryLedger(outcome: { now: Outcome | null }): MeteredPorts['store'] {
  const store: Partial<MeteredPorts['store']> = {
    reservationFactor: () => Promise.resolve(1),
    spending: () => Promise.resolve({ confirmedUsd: '0', unconfirmedUsd: '0', tokens: 0 }),
    reserveCall: () => Promise.resolve({ kind: 'reserved', attempt: 1, earlierAttempts: 0 }),
    sendingCall: () => Promise.resolve(),
    settleCall(_key, reply) {
      outcome.now = { reply, charged: reply.usageProblem === undefined ? { usd: reply.costUsd } : 'the reservation' };
      return Promise.resolve();
    },
    failCall(_key, _kind, billed) {
      outcome.now = { reply: null, charged: billed === 'no' ? 'nothing' : 'the reservation' };
      return Promise.resolve();
    },
  };
  return store as MeteredPorts['store'];
}

async function byProgram(one: ProviderCase & { wire: ProgramClient }): Promise<Outcome> {
  const { answer } = one;
  const wire = wireOf(one.wire);
  const outcome: { now: Outcome | null } = { now: null };
  const grant = { settled: () => undefined, limited: () => undefined, released: () => undefined };
  const governor = {
    acquire: () => Promise.resolve({ kind: 'granted' as const, grant }),
    flush: () => Promise.resolve(),
  };
  const definition = { runId: 'r', batchId: 'b', seed: 1, model: modelOf(one), costLimitUsd: null, tokenLimit: 0 };
  const ports = { store: memoryLedger(outcome), governor, access: providerAccess(ENV), retryMs: 0 };
  const calls: MeteredCalls = meteredCalls(ports, definition as unknown as RunDefinition);
  const body: Json = { stream: answer.events !== undefined };
  const call = { step: 1, wire, asked: body, body, text: '{}', images: 0, imageBytes: 0, headers: {} };
  const result = await calls.call(call, { event: () => undefined, waits: (pause) => pause });
  if (result.kind === 'refused') expect(isJson(result.body)).toBe(true);
  return outcome.now!;
}

const numberIn = (of: unknown, key: string): unknown => (isJson(of) ? of[key] : undefined);
const whole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const RATES: Record<string, { input: number; output: number }> = { ...PRICES.tiers };

/** The rules a second time: the price of counts that are beyond doubt, else null. */
function priceOf({ wire, dialect }: ProviderCase, body: unknown): number | null {
  if (wire === 'gemini') return priceOfGemini(body);
  if (!isJson(body) || !isJson(body['usage'])) return null;
  const { usage } = body;
  const anthropic = wire === 'anthropic';
  const names = wire === 'openai-chat' ? ['prompt_tokens', 'completion_tokens'] : ['input_tokens', 'output_tokens'];
  const [input, output] = [usage[names[0]!], usage[names[1]!]];
  if (!whole(input) || !whole(output)) return null;
  const details = numberIn(usage, wire === 'openai-chat' ? 'prompt_tokens_details' : 'input_tokens_details');
  const cached = anthropic
    ? [usage['cache_read_input_tokens']]
    : [
        numberIn(details, 'cached_tokens'),
        ...(wire === 'openai-chat' ? [usage['cached_tokens'], usage['prompt_cache_hit_tokens']] : []),
      ];
  const read = Math.max(0, ...cached.map((one) => (one == null ? 0 : whole(one) ? one : NaN)));
  const given = anthropic ? usage['cache_creation_input_tokens'] : numberIn(details, 'cache_write_tokens');
  const written = given == null ? 0 : whole(given) ? given : NaN;
  const hour = anthropic ? numberIn(usage['cache_creation'], 'ephemeral_1h_input_tokens') : 0;
  const forAnHour = hour == null ? 0 : whole(hour) ? hour : NaN;
  if (Number.isNaN(forAnHour) || forAnHour > written) return null;
  const total = anthropic ? 0 : (usage['total_tokens'] ?? 0);
  if (Number.isNaN(read + written) || !whole(total) || (total > 0 && total < input + output)) return null;
  const generated = Math.max(output, total - input);
  const prompt = anthropic ? input + read + written : input;
  if (read + written > prompt || Math.max(prompt, generated) > 2 * WINDOW) return null;
  const named = anthropic ? usage['service_tier'] : (body['service_tier'] ?? usage['service_tier']);
  if (dialect === 'openrouter' && usage['cost'] != null) return chargedBy(usage);
  const rates = ratesOf(named);
  if (rates === undefined) return null;
  return costOf(rates, { prompt, read, written, forAnHour, generated });
}

function costOf(
  rates: { input: number; output: number },
  {
    prompt,
    read,
    written,
    forAnHour,
    generated,
  }: Record<'prompt' | 'read' | 'written' | 'forAnHour' | 'generated', number>,
): number {
  const { cachedInput = rates.input, cacheWrite = rates.input } = rates as Partial<typeof PRICES>;
  const cost =
    (prompt - read - written) * rates.input +
    read * cachedInput +
    (written - forAnHour) * cacheWrite +
    forAnHour * 2 * rates.input +
    generated * rates.output;
  return cost / 1e6;
}

function ratesOf(named: unknown): { input: number; output: number } | undefined {
  const tier = typeof named === 'string' ? named.trim().toLowerCase() : '';
  const listed = ['', 'auto', 'default', 'standard', 'on_demand'].includes(tier);
  return listed ? PRICES : Object.hasOwn(RATES, tier) ? RATES[tier] : undefined;
}

function chargedBy(usage: Json): number | null {
  const own = usage['is_byok'] === true ? numberIn(usage['cost_details'], 'upstream_inference_cost') : 0;
  const charged = Number(usage['cost']) + Number(own ?? 0);
  const isAmount = typeof usage['cost'] === 'number' && (own == null || typeof own === 'number');
  return isAmount && charged >= 0 && charged < 1_000_000 ? charged : null;
}

function priceOfGemini(body: unknown): number | null {
  const usage = isJson(body) ? body['usageMetadata'] : null;
  const counts = ['promptTokenCount', 'toolUsePromptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount'];
  const all = [...counts, 'cachedContentTokenCount', 'totalTokenCount'].map((key) => numberIn(usage, key) ?? 0);
  if (!isJson(usage) || !whole(usage['promptTokenCount']) || !all.every(whole)) return null;
  const [input = 0, found = 0, said = 0, thoughts = 0, read = 0, total = 0] = all;
  const prompt = input + found;
  const generated = Math.max(said + thoughts, total - prompt);
  const rates = ratesOf(usage['serviceTier']);
  if (rates === undefined || (total > 0 && total < prompt + said + thoughts)) return null;
  if (read > prompt || Math.max(prompt, generated) > 2 * WINDOW) return null;
  return costOf(rates, { prompt, read, written: 0, forAnHour: 0, generated });
}

const generated = (wire: ProgramClient, body: unknown): boolean => {
  const of = numberIn(body, wire === 'gemini' ? 'usageMetadata' : 'usage');
  if (wire === 'gemini')
    return ['candidatesTokenCount', 'thoughtsTokenCount'].some((key) => Number(numberIn(of, key)) > 0);
  const tokens = numberIn(of, wire === 'openai-chat' ? 'completion_tokens' : 'output_tokens');
  return typeof tokens === 'number' && tokens > 0;
};

const STRANGE = [
  ...[null, 0, 1, -1, 1.5, 1e12, '', '7', 'error', 'priority', 'batch', true, [], {}, [null], { error: null }],
  ...[{ code: 429, message: 'later' }, 'constructor', '__proto__'],
];

/** A value somewhere in the body that is another, is gone, or comes twice. */
function mutated(body: unknown, picks: { at: number; what: number; how: number }[]): unknown {
  const copy = { root: structuredClone(body) };
  for (const { at, what, how } of picks) {
    const places: [holder: Record<string, unknown>, key: string][] = [];
    const visit = (holder: unknown): void => {
      if (typeof holder !== 'object' || holder === null) return;
      for (const key of Object.keys(holder)) {
        places.push([holder as Record<string, unknown>, key]);
        visit((holder as Record<string, unknown>)[key]);
      }
    };
    visit(copy);
    const [holder, key] = places[at % places.length]!;
    if (how === 0 && holder !== copy) delete holder[key];
    else if (how === 1) holder[key] = [holder[key], holder[key]];
    else if (how === 2 && typeof holder[key] === 'number') holder[key] += what;
    else holder[key] = structuredClone(STRANGE[what % STRANGE.length]);
  }
  return copy.root;
}

const picks = fc.array(fc.record({ at: fc.nat(500), what: fc.nat(STRANGE.length - 1), how: fc.nat(3) }), {
  ...{ minLength: 1, maxLength: 3 },
});

async function expectRight<T extends ProviderCase>(one: T, play: (one: T) => Promise<Outcome>): Promise<void> {
  const answer = async (change: { at: number; what: number; how: number }[]): Promise<void> => {
    const body = one.answer.body === undefined ? undefined : mutated(one.answer.body, change);
    const events = one.answer.events?.map((event, index, all) =>
      change[0]!.at % all.length === index ? { ...event, data: mutated(event.data, change) } : event,
    );
    provider.answer({
      ...one.answer,
      ...(body === undefined ? {} : { body }),
      ...(events === undefined ? {} : { events }),
    });
    const { reply, charged } = await play(one);
    // A success that says what it generated is paid by somebody.
    if (charged === 'nothing') expect((one.answer.status ?? 200) < 300 && generated(one.wire, body)).toBe(false);
    if (reply === null || typeof charged === 'string') return;
    // Only a whole answer with counts beyond doubt costs what they say.
    const due = priceOf(one, body);
    expect(due).not.toBeNull();
    expect(Number(charged.usd)).toBeCloseTo(due!, 9);
  };
  await fc.assert(fc.asyncProperty(picks, answer), { numRuns: MUTATIONS, seed: SEED });
}

describe('a provider that answers with anything', () => {
  test.each(PROVIDER_CASES.filter(isOfAgents).map((one) => [`${one.wire}: ${one.name}`, one] as const))(
    'has an agent pay what is right, or its reservation: %s',
    (_name, one) => expectRight(one, byAgent),
  );
  test.each(PROVIDER_CASES.map((one) => [`${one.wire}: ${one.name}`, one] as const))(
    'has a program pay what is right, or its reservation: %s',
    (_name, one) => expectRight(one, byProgram),
  );
});
