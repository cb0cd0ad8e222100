import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../domain/gateway/json.js';
import { chatWire } from '../../../../domain/gateway/chat.js';
import { messagesWire } from '../../../../domain/gateway/messages.js';
import { responsesWire } from '../../../../domain/gateway/responses.js';
import type { Allowed, Wire } from '../../../../domain/gateway/wire.js';

const allowed: Allowed = {
  ...{ model: 'the-pin', maxOutputTokens: 1000, newOutputKey: true, accepts: [], scope: 'bench-r-1' },
};
const user = (content: unknown): Json => ({ role: 'user', content });
function sent(wire: Wire, body: Json): Json {
  const cleaned = wire.clean(body, allowed);
  if ('refused' in cleaned) throw new Error(cleaned.refused);
  return cleaned.body;
}
const own = { type: 'function', name: 'shell', parameters: {} };
const hosted = [
  ...['web_search', 'web_search_preview', 'file_search', 'code_interpreter', 'computer_use_preview', 'mcp'],
  'image_generation',
].map((type) => ({ type }));

describe('over responses', () => {
  const asked = { model: 'any', input: [{ type: 'message', ...user('play') }] };

  it('tools that the provider would run are left out, wherever they stand', () => {
    const tools = [own, ...hosted, { type: 'namespace', name: 'n', tools: [...hosted, own] }];
    const body = sent(responsesWire, {
      ...asked,
      tools,
      input: [...asked.input, { type: 'additional_tools', tools: [...hosted, own] }],
    });
    expect(body['tools']).toEqual([own, { type: 'namespace', name: 'n', tools: [own] }]);
    expect((body['input'] as Json[])[1]).toEqual({ type: 'additional_tools', tools: [own] });
  });

  it('nothing is kept, and only known keys go on', () => {
    const more = { store: true, service_tier: 'priority', metadata: { a: 'b' }, user: 'u', safety_identifier: 's' };
    const body = sent(responsesWire, { ...asked, ...more, prompt_cache_key: 'theirs', tool_choice: { type: 'mcp' } });
    expect(body).toEqual({
      ...{ input: asked.input, model: 'the-pin', store: false, prompt_cache_key: 'bench-r-1' },
      max_output_tokens: 1000,
    });
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'r' }],
    ['conversation', { conversation: 'c' }],
    ['background', { background: true }],
    ['a reference', { input: [{ type: 'item_reference', id: 'i' }] }],
    ['a file by its id', { input: [user([{ type: 'input_file', file_id: 'f' }])] }],
    ['a file by its address', { input: [user([{ type: 'input_file', file_url: 'http://x/f' }])] }],
    ['an image by its address', { input: [user([{ type: 'input_image', image_url: 'http://x/i.png' }])] }],
    [
      "an image in a tool's output",
      { input: [{ type: 'function_call_output', output: [{ type: 'input_image', image_url: 'http://x' }] }] },
    ],
    [
      'a screenshot by its address',
      { input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: 'http://x' } }] },
    ],
  ])('%s is refused', (_, more) => {
    expect(responsesWire.clean({ ...asked, ...more }, allowed)).toHaveProperty('refused');
  });

  it('images within the request are counted', () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
    expect(responsesWire.clean({ ...asked, input: [user([image, image])] }, allowed)).toMatchObject({ images: 2 });
  });
});

describe('over chat completions', () => {
  const asked = { model: 'any', messages: [user('play')] };

  it('only tools of the client and known keys go on; the output is capped; the count is asked for', () => {
    const tools = [{ type: 'function', function: { name: 'shell' } }, ...hosted];
    const more = { web_search_options: {}, store: true, service_tier: 'flex', user: 'u', metadata: {}, audio: {} };
    expect(sent(chatWire, { ...asked, ...more, tools, max_tokens: 64_000, stream: true })).toEqual({
      ...{ model: 'the-pin', messages: asked.messages, tools: tools.slice(0, 1), max_completion_tokens: 1000 },
      ...{ stream: true, stream_options: { include_usage: true } },
    });
    expect(sent(chatWire, { ...asked, max_tokens: 10 })).toMatchObject({ max_completion_tokens: 10, stream: false });
  });

  it.each([
    ['several answers', { n: 2 }],
    ['an image by its address', { messages: [user([{ type: 'image_url', image_url: { url: 'http://x/i.png' } }])] }],
    ['an image by its bare address', { messages: [user([{ type: 'image_url', image_url: 'http://x/i.png' }])] }],
    ['a file', { messages: [user([{ type: 'file', file: { file_id: 'f' } }])] }],
  ])('%s are refused', (_, more) => {
    expect(chatWire.clean({ ...asked, ...more }, allowed)).toHaveProperty('refused');
  });

  it.each([
    [true, true],
    [false, false],
  ])('the chunk with the count is shown to a client that asked for it: %s', (wants, shown) => {
    const assembly = chatWire.assembly(wants ? { stream_options: { include_usage: true } } : {});
    const usage = { prompt_tokens: 7, completion_tokens: 3 };
    const chunk = (data: Json) => assembly.add({ event: null, data: JSON.stringify(data) });
    expect(chunk({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] })).toBe(true);
    expect(chunk({ choices: [], usage })).toBe(shown);
    expect(chatWire.usage(assembly.answer()!)).toMatchObject({ inputTokens: 7, outputTokens: 3 });
  });
});

describe('over messages', () => {
  it('what is cached is cached for five minutes, at the price that is known', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const text = { type: 'text', text: 'play', cache_control };
    const call = { type: 'tool_use', id: 't', name: 'n', input: { cache_control } };
    const result = { type: 'tool_result', tool_use_id: 't', content: [text] };
    const body = sent(messagesWire, {
      ...{ model: 'any', max_tokens: 5, system: [text], tools: [{ name: 'n', input_schema: {}, cache_control }] },
      messages: [user([text]), { role: 'assistant', content: [call] }, user([result])],
    });
    expect(JSON.stringify([body['system'], body['tools']])).not.toContain('ttl');
    expect(JSON.stringify(body).match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(4);
    // What the model wrote is as it was.
    expect((body['messages'] as { content: unknown[] }[])[1]!.content).toEqual([call]);
  });

  it('a budget of thinking stays below the capped output', () => {
    const body = sent(messagesWire, {
      ...{ model: 'any', messages: [user('play')], max_tokens: 64_000 },
      thinking: { type: 'enabled', budget_tokens: 63_999 },
    });
    expect(body['max_tokens']).toBe(1000);
    const budget = (body['thinking'] as Json | undefined)?.['budget_tokens'] as number | undefined;
    expect(budget ?? 0).toBeLessThan(1000);
  });

  it.each([
    ['a document by its address', { type: 'document', source: { type: 'url', url: 'http://x/d.pdf' } }],
    ['a file', { type: 'document', source: { type: 'file', file_id: 'f' } }],
    [
      "an image in a tool's result",
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'url', url: 'http://x' } }] },
    ],
    [
      'an image within a document',
      {
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: { type: 'url', url: 'http://x' } }] },
      },
    ],
    ['a file of the container', { type: 'container_upload', file_id: 'f' }],
  ])('%s is refused', (_, part) => {
    expect(messagesWire.clean({ model: 'any', max_tokens: 5, messages: [user([part])] }, allowed)).toHaveProperty(
      'refused',
    );
  });
});
