import { describe, expect, it } from 'vitest';
import { geminiWire } from '../../../../domain/gateway/gemini.js';
import type { Json } from '../../../../domain/gateway/json.js';
import type { Allowed } from '../../../../domain/gateway/wire.js';
import { offeredTools } from '../../../../domain/gateway/offered-tools.js';
import { wireAt } from '../../../../domain/gateway/wires.js';

const allowed: Allowed = {
  ...{
    model: 'the-pin',
    maxOutputTokens: 1000,
    newOutputKey: false,
    accepts: ['topP'],
    scope: 'bench-r-1',
    reasons: true,
  },
};
const user = (...parts: Json[]): Json => ({ role: 'user', parts });
const asked = { contents: [user({ text: 'play' })] };
function sent(body: Json): Json {
  const cleaned = geminiWire.clean(body, allowed);
  if ('refused' in cleaned) throw new Error(cleaned.refused);
  return cleaned.body;
}

describe('a request', () => {
  it('has its model and stream in its address', () => {
    const at = (path: string, query = '') => geminiWire.addressed!(path, new URLSearchParams(query));
    expect(at('/v1beta/models/g-2.5:generateContent')).toEqual({ model: 'g-2.5', stream: false });
    expect(at('/v1beta/models/g:streamGenerateContent', 'alt=sse')).toEqual({ model: 'g', stream: true });
    expect(at('/v1beta/models/g:streamGenerateContent')).toHaveProperty('refused');
    for (const path of ['/v1beta/models', '/v1beta/models/g:embedContent', '/v1beta/files/g:generateContent']) {
      expect(at(path)).toBeNull();
      expect(wireAt(path)).toBeUndefined();
    }
    expect(wireAt('/v1beta/models/g:streamGenerateContent')).toBe(geminiWire);
  });

  it('keeps what the client runs, and the limit of the run', () => {
    const own = { functionDeclarations: [{ name: 'shell', parametersJsonSchema: {} }] };
    const body = sent({
      ...{ ...asked, model: 'g', stream: true, labels: { a: 'b' }, system_instruction: { parts: [{ text: 's' }] } },
      tools: [own, { googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }],
      generationConfig: { maxOutputTokens: 9000, temperature: 1, topP: 0.9, responseModalities: ['AUDIO'] },
    });
    expect(body).toEqual({
      ...{ ...asked, systemInstruction: { parts: [{ text: 's' }] }, tools: [own] },
      generationConfig: { topP: 0.9, maxOutputTokens: 1000 },
    });
    expect(offeredTools(body)).toEqual([{ name: 'shell', description: '', parameters: {} }]);
  });

  it.each([
    ['a cache', { cachedContent: 'cachedContents/1' }],
    ['a file by its address', { contents: [user({ fileData: { fileUri: 'https://x/f' } })] }],
    ['the older spelling of it', { contents: [user({ file_data: { file_uri: 'https://x/f' } })] }],
    ['a file in the instructions', { systemInstruction: { parts: [{ fileData: { fileUri: 'https://x/f' } }] } }],
    ['code that the provider ran', { contents: [user({ executableCode: { code: '1' } })] }],
    ['several answers', { generationConfig: { candidateCount: 2 } }],
    ['a number as a text', { generationConfig: { maxOutputTokens: '9000' } }],
    ['contents that are no list', { contents: { parts: [] } }],
  ])('%s is refused', (_name, more) => {
    expect(geminiWire.clean({ ...asked, ...more }, allowed)).toHaveProperty('refused');
  });
});

it('results find their calls, with ids of either side or none', () => {
  const answer = (functionCall: Json) => ({
    candidates: [{ content: { parts: [{ functionCall }] }, finishReason: 'STOP' }],
  });
  const [unnamed] = geminiWire.reply(answer({ name: 'shell', args: { command: 'ls' } })).toolCalls!;
  const [named] = geminiWire.reply(answer({ id: 'x', name: 'shell' })).toolCalls!;
  expect([unnamed!.id, named!.id, named!.arguments]).toEqual(['shell/1', 'x', '{}']);
  const result = { name: 'shell', response: { output: 'files' } };
  const asking = (functionResponse: Json): Json => ({
    contents: [
      user({ text: 'play' }),
      { role: 'model', parts: [{ functionCall: { name: 'shell' } }] },
      user({ functionResponse }),
    ],
  });
  expect(geminiWire.results(asking(result))).toEqual([{ id: 'shell/1', text: 'files' }]);
  expect(geminiWire.results(asking({ ...result, id: 'own' }))).toEqual([
    { id: 'own', text: 'files' },
    { id: 'shell/1', text: 'files' },
  ]);
  expect(geminiWire.messages(asking(result)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});

describe('a stream', () => {
  const events = (...all: Json[]) => {
    const assembly = geminiWire.assembly({});
    for (const data of all) assembly.add({ event: null, data: JSON.stringify(data) });
    return assembly;
  };
  const part = (one: Json, more: Json = {}) => ({
    candidates: [{ content: { role: 'model', parts: [one] }, ...more }],
  });

  it('is merged, thoughts and signatures apart', () => {
    const answer = events(part({ text: 'think', thought: true }), part({ text: 'he' }), part({ text: 'llo' }), {
      ...part({ functionCall: { name: 'shell' }, thoughtSignature: 's' }, { finishReason: 'STOP' }),
      usageMetadata: { promptTokenCount: 5 },
    }).answer()!;
    expect(geminiWire.reply(answer)).toMatchObject({ text: 'hello', finishReason: 'tool_calls' });
    expect((answer['candidates'] as { content: { parts: Json[] } }[])[0]!.content.parts).toEqual([
      { text: 'think', thought: true },
      { text: 'hello' },
      { functionCall: { name: 'shell' }, thoughtSignature: 's' },
    ]);
    expect(geminiWire.usage(answer)!.usage.inputTokens).toBe(5);
    // Handed out again, it is the same.
    const again = geminiWire.stream(answer).map(({ data }) => JSON.parse(data) as Json);
    expect(events(...again).answer()).toEqual(answer);
  });

  it('without an end is cut', () => {
    expect(events(part({ text: 'half' })).answer()).toBeNull();
    expect(events({ promptFeedback: { blockReason: 'SAFETY' } }).answer()).not.toBeNull();
  });
});
