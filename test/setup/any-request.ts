import fc from 'fast-check';

// Arbitrary requests, similar to real ones. None begins an episode: no task is named.

export interface AnyRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
}

const KEYS = [
  ...['task', 'split', 'index', 'fork_of', 'at_step', 'seed', 'episode_id', 'max_steps', 'labels', 'group', 'agent'],
  ...[
    'policy_version',
    'reward',
    'idle_s',
    'deadline_s',
    'action',
    'action_seq',
    'metadata',
    'wait_s',
    'name',
    'input',
  ],
  ...['task_id', 'task_spec', 'env_name', 'responses_create_params', 'response', 'verify_responses', 'ids', 'model'],
  ...['count', 'rollout_id', 'base_url', 'headers', 'sampling', 'jsonrpc', 'method', 'params', 'id', 'arguments'],
  ...[
    'session_id',
    'resume_episode',
    'type',
    'data',
    'command',
    'reply',
    'tool_name',
    'timeout_s',
    '__proto__',
    'start',
  ],
];
const WORDS = [
  ...[
    '',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00x',
    '__proto__',
    'constructor',
    '-1',
    '0',
    '2147483648',
    '1e400',
    'null',
    'e-1',
  ],
  ...['run', 'validate', 'openenv/session/create', 'tools/call', 'tools/list', 'initialize', 'prompts/get', '2.0'],
];
const word = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 300 }),
);
const number = fc.oneof(
  fc.constantFrom(0, 1, -1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 0.5, 1e-320),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    ...[word, number, fc.boolean(), fc.constant(null)],
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), word), tie('value'), { maxKeys: 5 }),
  ),
})).value;
const object = fc.dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 6 });
const deep = fc.integer({ min: 50, max: 20_000 }).map((depth) => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);

/** Half of a surrogate pair, escaped as JSON allows. */
const text = fc.oneof(
  { weight: 12, arbitrary: object.map((made) => JSON.stringify(made)) },
  { weight: 4, arbitrary: value.map((made) => JSON.stringify(made)) },
  { weight: 2, arbitrary: fc.array(object, { maxLength: 4 }).map((made) => JSON.stringify(made)) },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: deep.map((made) => `{"action":${made},"data":${made},"params":${made}}`) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

const rpc = fc
  .record({ method: word, params: value, id: fc.oneof(word, number) })
  .map((made) => JSON.stringify({ jsonrpc: '2.0', ...made }));

const ROUTES = [
  ...['POST /v1/episodes', 'GET /v1/episodes/:id', 'DELETE /v1/episodes/:id', 'POST /v1/episodes/:id/step'],
  ...['POST /v1/episodes/:id/interrupt', 'GET /v1/episodes/:id/steps/:id', 'POST /v1/episodes/:id/fork'],
  ...['GET /v1/episodes/:id/trajectory', 'GET /v1/episodes/:id/snapshots', 'POST /v1/steps', 'GET /metrics'],
  ...['GET /v1/metrics', 'POST /v1/rollouts', 'GET /v1/rollouts', 'GET /v1/rollouts/:id', 'POST /v1/rollouts/ack'],
  ...['DELETE /v1/rollouts/:id', 'GET /list_environments', 'GET /splits', 'GET /:id/splits', 'POST /tasks'],
  ...['POST /bench/task', 'POST /task_range', 'POST /num_tasks', 'POST /:id/tasks', 'GET /harbor_env/splits'],
  ...['POST /harbor_env/num_tasks', 'POST /harbor_env/task', 'POST /harbor_env/task_range', 'GET /metadata'],
  ...['GET /schema', 'GET /openapi.json', 'POST /reset', 'POST /step', 'GET /state', 'POST /mcp', 'GET /version'],
  ...['POST /create_session', 'POST /create', 'POST /ping', 'POST /delete', 'GET /tools', 'GET /task_tools'],
  ...['GET /prompt', 'POST /call', 'POST /bench/call', 'POST /nemo/reset', 'POST /nemo/step', 'GET /nemo'],
  ...['POST /nemo/aggregate_metrics', 'POST /v1/mcp', 'GET /v1/mcp', 'DELETE /v1/mcp', 'GET /health', 'PUT /:id'],
];

/** A path segment, perhaps with bytes that are not UTF-8. */
const part = fc.oneof(
  fc.constantFrom('%00', '%ff', '%ed%a0%80', '%', '%2f', '..', '*', ';', ':id'),
  word.map((made) => encodeURIComponent(made.replace(/\p{Surrogate}/gu, '?'))),
);
const prefix = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.tuple(fc.constantFrom('envs', 's'), part).map(([kind, made]) => `/${kind}/${made === '' ? 'x' : made}`),
);
const query = fc
  .array(fc.tuple(fc.constantFrom('episode_id', 'group', 'label', 'after', 'limit', 'per', 'session_id'), part), {
    maxLength: 3,
  })
  .map((pairs) => ['wait_s=0', ...pairs.map(([key, made]) => `${key}=${made}`)].join('&'));
/** A header's text: HTTP itself refuses control characters. */
const headerText = fc.oneof(word, text).map((made) => made.replace(/[^\x20-\x7e]/g, '?').slice(0, 2000));
const headers = fc.dictionary(
  fc.constantFrom(
    ...['x-session-id', 'mcp-session-id', 'x-bench-reset', 'x-bench-session', 'x-bench-task', 'cookie'],
    ...['last-event-id', 'mcp-protocol-version', 'x-bench-connection'],
  ),
  headerText,
  { maxKeys: 3 },
);

/** `ids`: of existing episodes. */
export const anyRequest = (ids: readonly string[]): fc.Arbitrary<AnyRequest> =>
  fc
    .record({
      route: fc.constantFrom(...ROUTES),
      id: fc.oneof(part, fc.constantFrom(...ids)),
      ...{ prefix, query, headers, body: fc.oneof(text, rpc) },
    })
    .map(({ route, id, prefix: before, query: asked, headers: more, body }) => {
      const [method = '', path = ''] = route.split(' ');
      // GET /v1/rollouts waits by default.
      const url = `${before}${path.replaceAll(':id', id === '' ? 'x' : id)}?${asked}`;
      const sends = method === 'POST' || method === 'PUT';
      return { method, path: url, headers: more, body: sends ? body : null };
    });

export const anyFrame: fc.Arbitrary<string> = fc.oneof(
  fc
    .record({ type: fc.oneof(fc.constantFrom('reset', 'step', 'state', 'mcp'), word), data: fc.oneof(object, value) })
    .map((made) => JSON.stringify(made)),
  rpc.map((made) => `{"type":"mcp","data":${made}}`),
  text,
);
