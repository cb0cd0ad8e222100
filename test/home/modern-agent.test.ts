import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { SUMMARY_REQUEST } from '../../domain/agent/step-text.js';
import { BenchHome } from '../setup/bench-home.js';

let simulator: ProviderSimulator;
let home: BenchHome;

beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: () => ({ kind: 'reply', text: 'not told what to do' }) });
  home = new BenchHome({ OPENAI_API_KEY: 'test-key', OPENAI_BASE_URL: simulator.openAiBaseUrl });
});
afterAll(async () => {
  await home.remove();
  await simulator.close();
});

type Call = [name: string, given: Record<string, unknown>];

/** One pixel. */
const PLOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Each line is the calls of one reply. */
const SESSION: Call[][] = [
  [
    ['view_file', { path: 'strategy.py' }],
    ['bash', { command: 'cd /tmp; false' }],
    ['bash', { command: 'pwd; cd - >/dev/null' }],
  ],
  [
    ['start_job', { script: 'echo training; until [ -e go ]; do sleep 0.1; done; echo trained; exit 3' }],
    ['write_file', { path: 'strategy.py', content: 'def row_strategy(history):\n    return 1  # it\'s "$HOME"\n' }],
    ['job_output', { job: 1 }],
  ],
  [
    ['str_replace', { path: 'strategy.py', old_text: 'return 1', new_text: 'return 0' }],
    ['validate', {}],
    ['bash', { command: 'echo never' }],
  ],
  [
    ['bash', { command: `touch go; mkdir -p plots; echo ${PLOT} | base64 -d > 'plots/loss curve.png'` }],
    ['job_output', { job: 1, wait_seconds: 600 }],
    ['view_image', { path: 'plots/loss curve.png' }],
  ],
  [['submit', {}]],
];

interface Sent {
  role: string;
  content: string | null | { type: string; image_url?: { url: string } }[];
  tool_call_id?: string;
}

it('the modern agent plays several calls a step, a job beside them, and a summary of older steps', async () => {
  let played = 0;
  simulator.behave((request) => {
    if (request.messages.at(-1)?.content === SUMMARY_REQUEST) return { kind: 'reply', text: 'I wrote row_strategy.' };
    const isLong = request.messages.filter(({ role }) => role === 'assistant').length === 4;
    if (isLong) return { kind: 'context_overflow' };
    const calls = SESSION[played++] ?? [];
    return {
      ...{ kind: 'reply', text: 'Next.' },
      toolCalls: calls.map(([name, given], at) => ({
        id: `id-${played}-${at}`,
        name,
        arguments: JSON.stringify(given),
      })),
    };
  });
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', '1', '--agent', 'modern'],
    ...['--backend', 'local', '--cost-limit', '3', '--wait'],
  );
  const steps = await home.sql<{ action: string; observation: string; requested: string | null }>(
    `select s.action, s.observation, s.requested from steps s join runs r on r.run_id = s.run_id
     where r.batch_id = $1 order by s.step`,
    [batchId],
  );
  expect(steps.map(({ requested }) => requested)).toEqual([null, null, 'validate', null, null, 'submit']);
  expect(steps[0]?.observation).toMatch(
    /exit code 0\]\n +1\t.*\[result 2 of 3, exit code 1\]\n\n\[result 3 of 3, exit code 0\]\n\/tmp/s,
  );
  expect(steps[1]?.observation).toMatch(
    /Job 1 has started.*Replaced strategy\.py: 2 lines.*Job 1: running\.\ntraining/s,
  );
  expect(steps[2]?.observation).toMatch(/Changed strategy\.py.*\[result 2 of 3, .*The submission .* is valid/s);
  expect(steps[2]?.observation).not.toContain('result 3 of 3');
  expect(steps[3]?.observation).toMatch(/Job 1: ended with exit code 3 after .*\ntraining\ntrained/s);

  expect(steps[3]?.observation).toMatch(
    /\n\[image plots\/loss curve\.png: image\/png, 1 x 1, 70 bytes, id [0-9a-f]{16}\]\n$/,
  );
  expect(steps[4]).toMatchObject({ action: '# summary of the steps up to 3', observation: '' });

  const toolResults = (at: number): Sent[] =>
    (simulator.requests.at(at)!.body as unknown as { messages: Sent[] }).messages.filter(({ role }) => role === 'tool');
  // The request that overflowed, the summary, and what the model saw after it.
  const sent = toolResults(-3);
  expect(sent.map(({ tool_call_id: id }) => id)).toEqual(
    SESSION.slice(0, 4).flatMap((calls, step) => calls.map((_, at) => `id-${step + 1}-${at}`)),
  );
  expect(sent[8]?.content).toBe('Not run.');
  expect(sent[9]?.content).toMatch(
    /\(Exit code 0\. Step 5, \d+ remaining; time: .*; money: \$\d\.\d\d of \$3\.00 left; /,
  );
  expect(toolResults(-2)).toHaveLength(9);
  expect(toolResults(-1)).toHaveLength(3);
  const images = (at: number): (string | undefined)[] =>
    (simulator.requests.at(at)!.body as unknown as { messages: Sent[] }).messages.flatMap(({ content }) =>
      Array.isArray(content) ? content.flatMap((part) => part.image_url?.url ?? []) : [],
    );
  expect([-3, -2, -1].map(images)).toEqual([[`data:image/png;base64,${PLOT}`], [], [`data:image/png;base64,${PLOT}`]]);
  expect(simulator.requests.at(-1)?.messages.some(({ content }) => content.includes('I wrote row_strategy.'))).toBe(
    true,
  );
  const calls = await home.sql<{ step: number; try: number; status: string }>(
    `select c.step, c.try, c.status from model_calls c join runs r on r.run_id = c.run_id
     where r.batch_id = $1 and c.step = 5 order by c.try`,
    [batchId],
  );
  expect(calls.map(({ try: requery, status }) => [requery, status])).toEqual([
    [0, 'failed'],
    [1, 'confirmed'],
  ]);
}, 900_000);

it('tools of an MCP server in the sandbox are offered, called and recorded', async () => {
  const agents = join(home.dir, 'configs', 'agents');
  mkdirSync(agents, { recursive: true });
  const code = readFileSync(join(import.meta.dirname, '..', 'fakes', 'mcp-server.py'), 'utf8');
  const agent = {
    ...{ schema: 1, description: 'test', outputParser: 'several-tool-calls' },
    ...{ systemTemplate: 'You play.', taskTemplate: '{{ task.description }} {{ observation }}' },
    tools: {
      commandFiles: ['../commands/images.yaml'],
      commands: [{ name: 'submit', docstring: 'Submit.' }],
      mcp: { notes: { command: ['python3', '-c', code], environment: { WHO: 'me' } } },
    },
  };
  writeFileSync(join(agents, 'with-notes.yaml'), JSON.stringify(agent));
  const session: Call[][] = [
    [
      ['notes__add_note', { text: "it's $HOME\n`x`" }],
      ['notes__plot', {}],
    ],
    [['notes__show_notes', {}]],
    [['submit', {}]],
  ];
  let played = 0;
  const from = simulator.requests.length;
  simulator.behave(() => ({
    ...{ kind: 'reply', text: 'Next.' },
    toolCalls: (session[played++] ?? []).map(([name, given], at) => ({
      ...{ id: `m-${played}-${at}`, name, arguments: JSON.stringify(given) },
    })),
  }));
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', '1', '--agent', 'with-notes'],
    ...['--backend', 'local', '--cost-limit', '3', '--wait'],
  );
  const steps = await home.sql<{ observation: string }>(
    `select s.observation from steps s join runs r on r.run_id = s.run_id where r.batch_id = $1 order by s.step`,
    [batchId],
  );
  expect(steps[0]?.observation).toMatch(/1 notes\n.*\n\[image notes__plot: image\/png, 1 x 1, 70 bytes, id/s);
  expect(steps[1]?.observation).toBe('{"notes": ["it\'s $HOME\\n`x`"], "who": "me"}\n');
  expect(JSON.stringify(simulator.requests.at(-1)?.body)).toContain(`"url":"data:image/png;base64,${PLOT}"`);
  const body = simulator.requests[from]?.body as unknown as { tools: { function: { name: string } }[] };
  expect(body.tools.map(({ function: { name } }) => name)).toEqual([
    ...['bash', 'view_image', 'submit', 'notes__add_note', 'notes__show_notes', 'notes__plot', 'notes__die'],
  ]);
}, 900_000);
