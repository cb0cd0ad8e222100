import { createProviderModels } from '../../models/provider-models.js';
import { createRateGovernor } from '../../models/rate-governor.js';
import { openDatabase } from '../../db/index.js';
import { ProviderError } from '../../domain/model/provider-error.js';
import { modelConfigSchema } from '../../domain/model/config.js';

/** Calls a provider as a worker does: `node rate-limited-worker.js <JSON>`, until stdin ends. */
interface Settings {
  databaseUrl: string;
  baseUrl: string;
  minuteMs: number;
  name: string;
  /** Callers of each batch. */
  callers: Record<string, number>;
}

const settings = JSON.parse(process.argv[2] ?? '') as Settings;
const database = openDatabase(settings.databaseUrl, { max: 4 });
const governor = createRateGovernor(database.rates, { minuteMs: settings.minuteMs });
const config = modelConfigSchema.parse({
  ...{ schema: 1, description: 'simulated', provider: 'openai', model: 'gpt-4o', apiKeyVariable: 'KEY' },
  ...{ baseUrlVariable: 'URL', contextWindow: 10_000, maxOutputTokens: 1000 },
});
const port = createProviderModels({ KEY: 'k', URL: settings.baseUrl }).get('openai');
if (port === undefined) throw new Error('no provider');
const model = { name: 'm', kind: 'real' as const, provider: 'openai', model: 'gpt-4o', config };
const account = port.account?.(model) ?? '';
const never = new AbortController().signal;
let over = false;
process.stdin.once('end', () => (over = true)).resume();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function caller(batchId: string, name: string): Promise<void> {
  for (let call = 1; !over; call++) {
    while (!over) {
      const turn = await governor.acquire(
        {
          ...{ account, provider: 'openai', batchId, ticket: `${name}/${call}`, tokens: 2000 },
          declared: { requests: null, tokens: null },
        },
        never,
      );
      if (turn.kind === 'wait') {
        await pause(turn.waitMs);
        continue;
      }
      if (over) return turn.grant.released();
      const messages = [{ role: 'user' as const, content: batchId }];
      try {
        const reply = await port?.complete({ model, messages, sampling: {}, seed: 1 }, never);
        turn.grant.settled(
          reply === undefined ? null : reply.usage.inputTokens + reply.usage.outputTokens,
          reply?.statedLimits,
        );
        break;
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind !== 'rate_limited') throw error;
        turn.grant.limited({ dimension: error.refusal?.dimension ?? null, retryAfterMs: error.retryAfterMs });
        await pause(error.retryAfterMs ?? 0);
      }
    }
  }
}

await Promise.all(
  Object.entries(settings.callers).flatMap(([batchId, count]) =>
    Array.from({ length: count }, (_, index) => caller(batchId, `${settings.name}-${batchId}-${index}`)),
  ),
);
await governor.flush();
await database.close();
