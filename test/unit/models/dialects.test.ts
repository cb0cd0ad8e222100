import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModelConfig, modelConfigSchema } from '../../../domain/model/config.js';
import { createProviderModels } from '../../../models/provider-models.js';

/** Answers everything alike, and keeps what was sent. */
let server: Server;
let sent: { headers: IncomingHttpHeaders; body: Record<string, unknown>; path: string };
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      sent = { headers: request.headers, body, path: request.url ?? '' };
      response.setHeader('content-type', 'application/json');
      const message = { role: 'assistant', content: 'hello' };
      const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'model_length' }], usage }));
    });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
});
afterAll(() => server.close());

async function ask(dialect: ModelConfig['dialect']): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const config = modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', contextWindow: 100_000, maxOutputTokens: 4000, model: 'm', dialect },
    ...{ provider: 'openai-compatible', apiKeyVariable: 'KEY', accepts: ['seed'] },
    baseUrl: `http://127.0.0.1:${port}/openai/v1`,
  });
  const model = { name: 'm', kind: 'real' as const, provider: config.provider, model: config.model, config };
  const request = { model, messages: [], sampling: {}, seed: 7, callId: 'run-1/1/0/1' };
  const adapter = createProviderModels({ KEY: 'the-key' }).get('openai-compatible')!;
  return (await adapter.complete(request, new AbortController().signal)).finishReason;
}

describe('a compatible server', () => {
  it('gets a bearer token, max_tokens and seed', async () => {
    expect(await ask(undefined)).toBe('length');
    expect(sent.headers).toMatchObject({ authorization: 'Bearer the-key' });
    expect(sent.headers).not.toHaveProperty('api-key');
    expect(sent.body).toMatchObject({ max_tokens: 4000, seed: 7 });
    expect(sent.body).not.toHaveProperty('prompt_cache_key');
  });
  it("is sent to as OpenAI's models on Azure are", async () => {
    await ask('azure');
    expect(sent.path).toBe('/openai/v1/chat/completions');
    expect(sent.headers).toMatchObject({ 'api-key': 'the-key' });
    expect(sent.headers).not.toHaveProperty('authorization');
    expect(sent.body).toMatchObject({ max_completion_tokens: 4000, prompt_cache_key: 'run-1' });
    expect(sent.body).not.toHaveProperty('max_tokens');
  });
  it("gets Mistral's name of the seed", async () => {
    await ask('mistral');
    expect(sent.body).toMatchObject({ max_tokens: 4000, random_seed: 7 });
    expect(sent.body).not.toHaveProperty('seed');
  });
});
