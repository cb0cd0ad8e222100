import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behaviour, SimulatedRequest } from '../fakes/provider-simulator/index.js';
import { startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';

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

const stepOf = (request: SimulatedRequest): number =>
  request.messages.filter((message) => message.role === 'assistant').length;

/** Replies with these commands, one per step, as a text agent; then submits. */
const says =
  (commands: readonly string[]): Behaviour =>
  (request) => ({ kind: 'reply', text: `Next.\n\`\`\`\n${commands[stepOf(request)] ?? 'submit'}\n\`\`\`` });

interface StepRow extends Record<string, unknown> {
  step: number;
  action: string;
  observation: string;
  code: number | null;
  file: string | null;
}

/** One run of gpt-4o on battleOfSexes, to its end. */
async function play(...options: string[]): Promise<{ runId: string; steps: StepRow[]; prompts: string[] }> {
  const before = simulator.requests.length;
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', '1', '--wait', ...options],
  );
  const [run] = await home.sql<{ id: string }>('select run_id as id from runs where batch_id = $1', [batchId]);
  const steps = await home.sql<StepRow>(
    `select step, action, observation, exit_code as code, tool_state->>'openFile' as file from steps
     where run_id = $1 order by step`,
    [run!.id],
  );
  const prompts = simulator.requests.slice(before).map((request) => request.messages.at(-1)?.content ?? '');
  return { runId: run!.id, steps, prompts };
}
/** Five standard errors of a thousand games: they are other ones in each home. */
const MARGIN = 0.038;
const scoreOf = async (runId: string): Promise<number> =>
  (await home.sql<{ score: number }>('select final_score as score from runs where run_id = $1', [runId]))[0]!.score;

const WRITE_STRATEGY = `edit 1:500
def row_strategy(history):
    """It's "$HOME": the first move decides, \`0\` pays."""
    return 0
end_of_edit`;

/** The commands of an editing session, and what the agent must have seen of each. */
const SESSION: [command: string, seen: RegExp][] = [
  ['find_file "*.py"', /strategy\.py/],
  ['open strategy.py', /\[File: \S*\/strategy\.py \(\d+ lines total\)\]\n1:/],
  ['search_file row_strategy', /Line \d+:def row_strategy/],
  ['goto 2', /\[File: /],
  [WRITE_STRATEGY, /1:def row_strategy\(history\):\n2: {4}"""It's "\$HOME"[^\n]*`0` pays\."""\n3: {4}return 0/],
  ['edit 1:3\n    return 0', /end_of_edit/],
  ['edit 3:3\n    return (\nend_of_edit', /./],
  ['cat strategy.py && echo "window $WINDOW"', /return 0\n(?:.*\n)*window 1000/],
  ['validate', /valid/],
];

describe.each(LONG ? ['docker', 'local'] : ['docker'])('the default agent on the %s backend', (backend) => {
  it('edits a file with its special commands, and sees which one is open', async () => {
    simulator.behave(says(SESSION.map(([command]) => command)));
    const { runId, steps, prompts } = await play('--backend', backend);
    for (const [index, [command, seen]] of SESSION.entries()) {
      expect(steps[index]?.action.trim()).toBe(command);
      expect(steps[index]?.observation, command).toMatch(seen);
    }
    const [first, afterSearch, afterOpen] = prompts;
    expect(first).toContain('(Open file: n/a)');
    expect(afterSearch).toContain('(Open file: n/a)');
    const file = steps[1]?.file ?? '';
    expect(file).toMatch(/^\/.*\/strategy\.py$/);
    expect(afterOpen).toContain(`(Open file: ${file})`);
    // An edit without its end is told so, uses its step, runs nothing and closes nothing.
    expect(steps[5]).toMatchObject({ code: 2, file });
    expect(prompts[6]).toContain(`(Open file: ${file})`);
    expect(Math.abs((await scoreOf(runId)) - 1.44)).toBeLessThan(MARGIN);
  }, 900_000);
});

// Without it, python/agent-tools/editor.test.ts edits, and another agent does above.
it.runIf(LONG)(
  'the tool-calling agent edits with the same commands as tools',
  async () => {
    const calls: [name: string, given: Record<string, unknown>][] = [
      ['open', { path: 'strategy.py' }],
      [
        'edit',
        { start_line: 1, end_line: 500, replacement_text: 'def row_strategy(history):\n    return 0  # it\'s "0"\n' },
      ],
      ['bash', { command: 'cat strategy.py' }],
      ['submit', {}],
    ];
    simulator.behave((request) => {
      const [name, given] = calls[stepOf(request)] ?? ['submit', {}];
      const toolCall = { id: `call_${request.number}`, name, arguments: JSON.stringify(given) };
      return { kind: 'reply', text: 'Next.', toolCalls: [toolCall] };
    });
    const { runId, steps } = await play('--agent', 'tool-calling', '--backend', 'local');
    expect(steps[1]?.action).toBe('edit 1:500\ndef row_strategy(history):\n    return 0  # it\'s "0"\nend_of_edit');
    expect(steps[2]?.observation).toBe('def row_strategy(history):\n    return 0  # it\'s "0"\n');
    expect(Math.abs((await scoreOf(runId)) - 1.44)).toBeLessThan(MARGIN);
  },
  900_000,
);

describe('memory', () => {
  const memoryRun = (commands: string[], ...options: string[]) => {
    simulator.behave(says(commands));
    return play('--agent', 'default-memory', '--backend', 'local', ...options);
  };

  it('goes from a run to the next one of its task and model, and not to runs that did not ask', async () => {
    const first = await memoryRun(
      ['memory_read "first move"', 'memory_write "the first move 0 pays, it\'s 1.44"'],
      '--memory',
    );
    expect(first.prompts[0]).toContain('(Memory records: 0)');
    expect(first.steps[1]?.code).toBe(0);
    expect(first.prompts[2]).toContain('(Memory records: 1)');

    const second = await memoryRun(['memory_read "first move"'], '--memory');
    expect(second.prompts[0]).toContain('(Memory records: 1)');
    expect(second.steps[0]?.observation).toContain("the first move 0 pays, it's 1.44");

    const without = await memoryRun(['memory_read "first move"', 'memory_write "smuggled"']);
    expect(without.prompts[0]).toContain('(Memory records: off)');
    expect(without.steps[0]?.observation).not.toContain('1.44');
    expect(without.steps[1]?.observation).toMatch(/keeps no memory/);

    expect(
      await home.sql('select memory, memory_records as records from runs where run_id = any($1) order by run_id', [
        [first.runId, second.runId, without.runId],
      ]),
    ).toEqual([
      { memory: true, records: 0 },
      { memory: true, records: 1 },
      { memory: false, records: null },
    ]);
    expect(await home.sql('select task_id as task, run_id as run, step, text from memories')).toEqual([
      { task: 'battleOfSexes', run: first.runId, step: 2, text: "the first move 0 pays, it's 1.44" },
    ]);
  }, 900_000);

  it('needs an agent that is told of it', async () => {
    const { exitCode, stderr } = await home.run(
      ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--agent', 'bash-only', '--memory'],
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('default-memory');
  });
});
