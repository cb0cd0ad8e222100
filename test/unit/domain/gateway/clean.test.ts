import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../domain/gateway/json.js';
import { chatWire } from '../../../../domain/gateway/chat.js';
import { messagesWire } from '../../../../domain/gateway/messages.js';
import { responsesWire } from '../../../../domain/gateway/responses.js';
import type { Allowed, Wire } from '../../../../domain/gateway/wire.js';

const allowed: Allowed = {
  ...{ model: 'the-pin', maxOutputTokens: 1000, newOutputKey: true, accepts: [], scope: 'bench-r-1', reasons: true },
};
const user = (content: unknown): Json => ({ role: 'user', content });
function sent(wire: Wire, body: Json, more: Partial<Allowed> = {}): Json {
  const cleaned = wire.clean(body, { ...allowed, ...more });
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
    expect(chatWire.usage(assembly.answer()!)).toMatchObject({ usage: { inputTokens: 7, outputTokens: 3 } });
  });
});

describe('over messages', () => {
  it.each([
    [{ ttl: '1h' }, { ttl: '1h' }],
    [{}, {}],
    [{ ttl: '5m' }, {}],
    [{ ttl: '1d', other: 1 }, {}],
  ])('what is cached with %j is cached for an hour, or for the usual five minutes', (asked, kept) => {
    const cache_control = { type: 'ephemeral', ...asked };
    const text = { type: 'text', text: 'play', cache_control };
    const call = { type: 'tool_use', id: 't', name: 'n', input: { cache_control } };
    const result = { type: 'tool_result', tool_use_id: 't', content: [text] };
    const body = sent(messagesWire, {
      ...{ model: 'any', max_tokens: 5, system: [text], tools: [{ name: 'n', input_schema: {}, cache_control }] },
      messages: [user([text]), { role: 'assistant', content: [call] }, user([result])],
    });
    const marks = JSON.stringify(body).split(
      JSON.stringify({ cache_control: { type: 'ephemeral', ...kept } }).slice(1, -1),
    );
    const ofTheCall = JSON.stringify(asked) === JSON.stringify(kept) ? 1 : 0;
    expect(marks).toHaveLength(4 + ofTheCall + 1);
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

const WIRES: [wire: Wire, asked: Json][] = [
  [chatWire, { model: 'any', messages: [user('play')] }],
  [responsesWire, { model: 'any', input: [user('play')] }],
  [messagesWire, { model: 'any', max_tokens: 5, messages: [user('play')] }],
];
/** A path of keys, as the one value of a request. */
const at = (path: string, value: unknown): Json =>
  path.split('.').reduceRight<unknown>((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value) as Json;

describe('numbers', () => {
  const COUNTS: Record<string, string[]> = {
    'openai-chat': ['max_tokens', 'max_completion_tokens', 'n'],
    'openai-responses': ['max_output_tokens', 'max_tool_calls', 'reasoning.max_tokens'],
    anthropic: ['max_tokens', 'thinking.budget_tokens', 'output_config.task_budget.total'],
  };
  const RATES: Record<string, string[]> = {
    'openai-chat': ['temperature', 'top_p', 'top_logprobs', 'presence_penalty', 'frequency_penalty', 'logit_bias.50'],
    'openai-responses': ['temperature', 'top_p', 'top_logprobs'],
    anthropic: ['temperature', 'top_p', 'top_k', 'context_management.edits.0.trigger.value'],
  };
  const cases = (fields: Record<string, string[]>, values: readonly unknown[]) =>
    WIRES.flatMap(([wire, asked]) =>
      fields[wire.client]!.flatMap((path) => values.map((value) => [wire.client, path, value, wire, asked] as const)),
    );

  it.each([
    ...cases(COUNTS, [-10_000, -1, 0, 1.5, Infinity, '5', '-5', true, [5], { value: 5 }]),
    ...cases(RATES, [-1000, Infinity, '1', true, [1]]),
  ])('over %s, %s is not %j', (_client, path, value, wire, asked) => {
    const cleaned = wire.clean({ ...asked, ...at(path, value) }, allowed);
    expect(cleaned).toHaveProperty('refused', expect.stringContaining('must be'));
  });

  it.each([...cases(COUNTS, [null]), ...cases(RATES, [null, 1])])(
    'over %s, %s may be %j',
    (_c, path, value, wire, asked) => {
      expect(wire.clean({ ...asked, ...at(path, value) }, allowed)).toHaveProperty('body');
    },
  );

  it.each(WIRES)('a stream is asked for by true or false alone: %#', (wire, asked) => {
    for (const stream of [1, 'true', {}]) expect(wire.clean({ ...asked, stream }, allowed)).toHaveProperty('refused');
    for (const stream of [true, false, null]) expect(wire.clean({ ...asked, stream }, allowed)).toHaveProperty('body');
  });
});

describe('parts', () => {
  const far = 'http://169.254.169.254/latest';
  const data = 'data:image/png;base64,AA==';
  const told = (wire: Wire, asked: Json, content: unknown): Json => ({
    ...asked,
    [wire === responsesWire ? 'input' : 'messages']: [user(content)],
  });
  const UNKNOWN = [
    { type: 'video_url', video_url: { url: far } },
    { type: 'audio_url', audio_url: { url: far } },
    { type: 'image_url', image_url: { url: { url: far } } },
    { type: 'image_url', image_url: { url: data, video_url: far } },
    { type: 'image_url', image_url: [{ url: far }] },
    { type: 'image_url', image_url: 'data:text/html,<img>' },
    { type: 'text', text: 'a', image_url: { url: far } },
    { type: 'text', text: 'a', cache_control: { url: far } },
    { type: 'text', text: { image_url: far } },
    { image_url: { url: far } },
    { type: 'constructor' },
    { type: '__proto__' },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    { type: 'input_video', video_url: far },
    { type: 'input_file', file_data: far },
    { type: 'input_image', image_url: { url: far } },
    { type: 'web_search_tool_result', tool_use_id: 'a', content: [] },
    { type: 'server_tool_use', id: 'a', name: 'web_fetch', input: { url: far } },
    { type: 'mcp_tool_use', id: 'a', name: 'b', server_name: 'c', input: {} },
    { type: 'image', source: { type: 'base64', data: 'AA==', url: far } },
    { type: 'image', source: { type: 'url', url: far } },
    { type: 'document', source: { type: 'text', data: 'a', file_id: 'f' } },
    { type: 'tool_result', tool_use_id: 'a', content: [[{ type: 'image', source: { type: 'url', url: far } }]] },
    { type: 'tool_result', tool_use_id: 'a', content: { type: 'image', source: { type: 'url', url: far } } },
    [{ type: 'image_url', image_url: { url: far } }],
    'a text without a type',
  ];

  it.each(WIRES)('%o takes no part as the role of a message', (wire, asked) => {
    const key = wire === responsesWire ? 'input' : 'messages';
    for (const role of [UNKNOWN[0], [UNKNOWN[1]], 1])
      expect(wire.clean({ ...asked, [key]: [{ role, content: 'a' }] }, allowed)).toHaveProperty('refused');
  });

  it.each(WIRES.flatMap(([wire, asked]) => UNKNOWN.map((part) => [wire.client, part, wire, asked] as const)))(
    'over %s, %j is refused',
    (_client, part, wire, asked) => {
      expect(wire.clean(told(wire, asked, [{ type: 'text', text: 'see' }, part]), allowed)).toHaveProperty('refused');
      // Nor may it stand in the place of the list.
      const inPlace = wire.clean(told(wire, asked, part), allowed);
      expect('refused' in inPlace).toBe(typeof part !== 'string');
    },
  );

  it.each([
    [chatWire, { type: 'image_url', image_url: { url: data, detail: 'low' } }],
    [chatWire, { type: 'image_url', image_url: data }],
    [responsesWire, { type: 'input_image', image_url: data, detail: 'auto', file_id: null }],
    [messagesWire, { type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
    [
      messagesWire,
      {
        ...{ type: 'tool_result', tool_use_id: 'a', is_error: false },
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
      },
    ],
  ])('an image within the request goes on, and its length is known: %#', (wire, part) => {
    const asked = WIRES.find(([one]) => one === wire)![1];
    const cleaned = wire.clean(told(wire, asked, [part]), allowed);
    expect(cleaned).toMatchObject({ images: 1, imageBytes: data.length });
    expect(JSON.stringify(cleaned)).toContain(JSON.stringify(part));
  });

  it('what clients send back of an answer goes on, or is left out', () => {
    const call = { id: 'c', type: 'function', function: { name: 'bash', arguments: '{"url":"http://x"}' } };
    const answer = { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'hm' };
    const more = { annotations: [{ url_citation: { url: far } }], audio: { id: 'kept' } };
    expect(sent(chatWire, { model: 'any', messages: [{ ...answer, ...more }] })['messages']).toEqual([answer]);
    const message = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'a', annotations: [] }],
    };
    const reasoning = {
      type: 'reasoning',
      id: 'r',
      summary: [{ type: 'summary_text', text: 'a' }],
      encrypted_content: 'e',
    };
    const shell = {
      type: 'local_shell_call',
      call_id: 'c',
      action: { type: 'exec', command: ['ls'], env: { URL: 'x' } },
    };
    const input = [message, reasoning, shell];
    expect(sent(responsesWire, { model: 'any', input })['input']).toEqual(input);
    const blocks = [
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'redacted_thinking', data: 'd' },
      { type: 'text', text: 'a', citations: null },
      { type: 'tool_use', id: 'c', name: 'WebFetch', input: { url: far, image_url: far } },
    ];
    const messages = [{ role: 'assistant', content: blocks }];
    expect(sent(messagesWire, { model: 'any', max_tokens: 5, messages })['messages']).toEqual(messages);
  });

  it.each(
    WIRES.flatMap(([wire, asked]) =>
      ['tool_choice', 'response_format', 'text', 'reasoning', 'stop', 'context_management', 'output_config', 'thinking']
        .concat(['instructions', 'system'])
        .map((key) => [wire.client, key, wire, asked] as const),
    ),
  )('over %s, %s has no place for a part that is fetched', (_client, key, wire, asked) => {
    for (const value of [[{ type: 'audio_url', audio_url: { url: far } }], { format: { image_url: far }, url: far }]) {
      const cleaned = wire.clean({ ...asked, [key]: value }, allowed);
      expect(JSON.stringify(cleaned)).not.toContain(far);
    }
  });

  it('a form of answers goes on, whatever its schema names its keys', () => {
    const schema = { type: 'object', properties: { url: { type: 'string' }, image_url: { minimum: -5 } } };
    const json_schema = { name: 'a', strict: true, schema };
    for (const [wire, key, value] of [
      [chatWire, 'response_format', { type: 'json_schema', json_schema }],
      [responsesWire, 'text', { format: { type: 'json_schema', ...json_schema }, verbosity: 'low' }],
      [messagesWire, 'output_config', { effort: 'high', format: { type: 'json_schema', schema } }],
    ] as const)
      expect(sent(wire, { ...WIRES.find(([one]) => one === wire)![1], [key]: value })[key]).toEqual(value);
  });

  it.each(['web_search_call', 'mcp_call', 'code_interpreter_call', 'file_search_call', 'image_generation_call', ''])(
    'an item %s of what the provider would have run is refused',
    (type) => {
      expect(responsesWire.clean({ model: 'any', input: [{ type, id: 'i' }] }, allowed)).toHaveProperty('refused');
    },
  );
});

it.each([
  [responsesWire, { input: 'play', include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } }],
  [chatWire, { messages: [user('play')], reasoning_effort: 'low' }],
])('a model that does not reason is asked for no reasoning, which it would refuse', (wire, body: Json) => {
  const asks = (reasons: boolean) =>
    Object.keys(sent(wire, body, { reasons }))
      .filter((key) => /reason|include/.test(key))
      .sort();
  expect(asks(true)).toEqual(Object.keys(body).slice(1));
  expect(asks(false)).toEqual([]);
});
