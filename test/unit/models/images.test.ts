import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageMark, type StoredImage } from '../../../domain/model/images.js';
import { type ModelConfig, modelConfigSchema } from '../../../domain/model/config.js';
import { estimateTokens } from '../../../domain/model/estimate-tokens.js';
import type { ChatMessage } from '../../../domain/model/model.js';
import { createAnthropicModel } from '../../../models/anthropic.js';
import { createGeminiModel } from '../../../models/gemini.js';
import { createOpenAiModel } from '../../../models/openai.js';
import { createResponsesModel } from '../../../models/responses.js';

let server: Server;
let sent: Record<string, unknown>;
beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      sent = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"error": {"message": "seen"}}');
    });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
});
afterAll(() => server.close());

const [ONE, TWO] = ['1'.repeat(16), '2'.repeat(16)];
const mark = (name: string, id: string): string =>
  imageMark(name, { id, type: 'image/png', width: 640, height: 480, size: 3 });
const images = new Map<string, StoredImage>([
  [ONE, { id: ONE, type: 'image/png', bytes: Buffer.from('one') }],
  [TWO, { id: TWO, type: 'image/webp', bytes: Buffer.from('two') }],
]);
const call = (id: string) => ({ id, name: 'view_image', arguments: '{"path":"a.png"}' });
/** Results with images, of which the first is named again later; one whose image is not shown. */
const messages: ChatMessage[] = [
  { role: 'system', content: 'brief' },
  { role: 'user', content: `look\n${mark('task.png', '9'.repeat(16))}` },
  { role: 'assistant', content: '', toolCalls: [call('a'), call('b')] },
  { role: 'tool', toolCallId: 'a', content: mark('a.png', ONE) },
  { role: 'tool', toolCallId: 'b', content: `${mark('b.png', TWO)}\nthe end` },
  { role: 'user', content: `again\n${mark('a.png', ONE)}` },
];
const [ONE_64, TWO_64] = ['b25l', 'dHdv'];

async function send(provider: ModelConfig['provider'], more: Partial<ModelConfig> = {}, shown = images) {
  const config = modelConfigSchema.parse({
    ...{ schema: 1, description: 'test', contextWindow: 100_000, maxOutputTokens: 4000, provider, model: 'm' },
    ...{ apiKeyVariable: 'KEY', baseUrl: 'http://127.0.0.1:1/v1', ...more },
  });
  const create = {
    anthropic: createAnthropicModel,
    gemini: createGeminiModel,
    openai: more.api === 'responses' ? createResponsesModel : createOpenAiModel,
    'openai-compatible': createOpenAiModel,
  }[provider];
  const { port } = server.address() as AddressInfo;
  const model = { name: 'm', kind: 'real' as const, provider, model: 'm', config };
  const request = { model, messages, sampling: {}, seed: 1, images: shown };
  const adapter = create({ config, apiKey: 'key', baseUrl: `http://127.0.0.1:${port}/v1` });
  await expect(adapter.complete(request, new AbortController().signal)).rejects.toThrow();
  return sent;
}

it('chat completions: results are texts, and the images follow them as the user', async () => {
  const body = await send('openai');
  expect((body['messages'] as unknown[]).slice(3)).toEqual([
    { role: 'tool', tool_call_id: 'a', content: mark('a.png', ONE) },
    { role: 'tool', tool_call_id: 'b', content: `${mark('b.png', TWO)}\nthe end` },
    {
      role: 'user',
      content: [
        { type: 'text', text: mark('b.png', TWO) },
        { type: 'image_url', image_url: { url: `data:image/webp;base64,${TWO_64}` } },
        { type: 'text', text: `again\n${mark('a.png', ONE)}` },
        { type: 'text', text: mark('a.png', ONE) },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${ONE_64}` } },
      ],
    },
  ]);
});

it('responses: the output of a call holds its images', async () => {
  const body = await send('openai', { api: 'responses' });
  expect((body['input'] as unknown[]).slice(-3)).toEqual([
    { type: 'function_call_output', call_id: 'a', output: mark('a.png', ONE) },
    {
      ...{ type: 'function_call_output', call_id: 'b' },
      output: [
        { type: 'input_text', text: `${mark('b.png', TWO)}\nthe end` },
        { type: 'input_image', image_url: `data:image/webp;base64,${TWO_64}` },
      ],
    },
    {
      ...{ type: 'message', role: 'user' },
      content: [
        { type: 'input_text', text: `again\n${mark('a.png', ONE)}` },
        { type: 'input_image', image_url: `data:image/png;base64,${ONE_64}` },
      ],
    },
  ]);
});

it('Anthropic: the result of a tool holds its images', async () => {
  const body = await send('anthropic', { promptCaching: false });
  const image = (type: string, data: string) => ({
    ...{ type: 'image', source: { type: 'base64', media_type: type, data } },
  });
  expect((body['messages'] as unknown[]).at(-1)).toEqual({
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: mark('a.png', ONE) },
      {
        ...{ type: 'tool_result', tool_use_id: 'b' },
        content: [{ type: 'text', text: `${mark('b.png', TWO)}\nthe end` }, image('image/webp', TWO_64)],
      },
      { type: 'text', text: `again\n${mark('a.png', ONE)}` },
      image('image/png', ONE_64),
    ],
  });
});

it('Gemini: images follow the responses of all functions', async () => {
  const body = await send('gemini');
  const { parts } = (body['contents'] as { parts: Record<string, unknown>[] }[]).at(-1)!;
  expect(parts.map((part) => Object.keys(part)[0])).toEqual([
    ...['functionResponse', 'functionResponse', 'text', 'inlineData', 'text', 'text', 'inlineData'],
  ]);
  expect(parts[3]).toEqual({ inlineData: { mimeType: 'image/webp', data: TWO_64 } });
});

it('without images every wire is as before', async () => {
  for (const provider of ['openai', 'anthropic', 'gemini'] as const)
    expect(JSON.stringify(await send(provider, {}, new Map()))).not.toMatch(/base64|image_url|inlineData/);
});

it('named images count as tokens, once for each place, unless a reply names them', () => {
  const text = (content: string, role: 'user' | 'assistant' = 'user') => estimateTokens([{ role, content }]);
  const line = mark('a.png', ONE);
  expect(text(line) - text(line.slice(1))).toBeGreaterThan(1100);
  expect(text(line, 'assistant')).toBeLessThan(200);
});
