import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextAction } from '../../activities/next-action.js';
import type { ShownRow } from '../../domain/ports/record/steps.js';
import { PromptHistories } from '../../activities/prompt-histories.js';
import { RunDefinitions } from '../../activities/run-definitions.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { type AgentConfig, agentConfigSchema } from '../../domain/agent/config.js';
import type { ChatMessage } from '../../domain/model/model.js';
import { freePlayer } from '../../models/free-player.js';
import { freeReply } from '../../models/free-reply.js';
import { promptOf } from '../../operations/results/prompt.js';
import { evaluate, oneRun, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const postgres = sharedDatabases();
let db: Database;
const sockets: Socket[] = [];
beforeAll(async () => {
  const url = await postgres.createDatabase();
  await migrate(url);
  db = openDatabase(url, { max: 2 });
  db.pool.on('connect', (client) => {
    sockets.push((client as unknown as { connection: { stream: Socket } }).connection.stream);
  });
});
afterAll(() => db.close());

const received = (): number => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0);
/** Bytes that the database sends meanwhile. */
async function bytesOf(work: () => Promise<unknown>): Promise<number> {
  const before = received();
  await work();
  return received() - before;
}

/** Of each step. */
const OUTPUT = 'A line of what a command printed, as long as many are.\n'.repeat(360);

const agentOf = (more: Partial<AgentConfig> = {}): AgentConfig =>
  agentConfigSchema.parse({
    ...{ schema: 1, description: 'Sees outputs.', systemTemplate: 's', taskTemplate: 't' },
    ...{ nextStepTemplate: '{{ observation }}\n$', formatErrorTemplate: 'f', historyProcessor: 'last-5-observations' },
    ...more,
  });

/** A run whose steps up to `taken` are on record, and a worker that plays the next ones. */
async function longRun(taken: number, agent = agentOf(), histories = new PromptHistories()) {
  const run: SubmittedRun = await oneRun(db, task('long'), {
    ...{ agent, agentHash: JSON.stringify(agent), maxSteps: 9999, tokenLimit: 0, costLimitUsd: null },
  });
  const { runId } = run;
  await db.store.sandboxStarted(runId, {
    ...{ epoch: 1, hostId: 'h', isolation: 'container', imageDigest: null, workspace: '/ws' },
  });
  const observed = { exitCode: 0, timedOut: false, lost: false, outputBytes: 1, requested: null, workingDir: '/ws' };
  await db.pool.query(
    `insert into steps (run_id, step, response, thought, action, model_ms, observation, exit_code, working_dir, executed_at)
     select $1, n, E'So.\n\`\`\`\nls\n\`\`\`', 'So.', 'ls', 1, $3, 0, '/ws', now() from generate_series(1, $2::int) n`,
    [runId, taken, OUTPUT],
  );
  const prompts: ChatMessage[][] = [];
  const keptForAnHour: boolean[] = [];
  let waits = 0;
  const program = freePlayer(db.store, {
    reply: ({ messages }) => Promise.resolve(freeReply(messages, { text: 'So.\n```\nls\n```' })),
  });
  const players = new Map([
    [
      run.model.provider,
      {
        next: async (...asked: Parameters<typeof program.next>) => {
          prompts.push(asked[2].messages);
          keptForAnHour.push(asked[2].cacheForAnHour === true);
          return waits-- > 0 ? ({ kind: 'wait', waitMs: 0 } as const) : program.next(...asked);
        },
      },
    ],
  ]);
  const ports = { store: db.store, definitions: new RunDefinitions(db.store), players };
  const ask = (step: number, by = histories, before?: ShownRow) =>
    nextAction({ ...ports, histories: by }, { runId, step, before }, undefined, new AbortController().signal);
  /** Returns the step as a slice hands it to the next one. */
  const play = async (step: number, by = histories, before?: ShownRow, commandMs = 1): Promise<ShownRow> => {
    const { decided } = await ask(step, by, before);
    await db.store.saveCommand(runId, step, { ...observed, observation: OUTPUT, commandMs });
    return { ...decided!, ...observed, step, observation: OUTPUT, toolState: null, executedMs: commandMs };
  };
  return { runId, prompts, keptForAnHour, ask, play, wait: () => (waits = 1) };
}

const PROCESSORS: Partial<AgentConfig>[] = [
  { historyProcessor: 'last-5-observations' },
  { historyProcessor: 'token-budget', historyProcessorArgs: { tokens: 60_000 } },
  { historyProcessor: 'closed-window' },
  { historyProcessor: 'default' },
];

describe('prompts are kept for an hour', () => {
  it.each(['by a worker that has the steps', 'by one that reads them'])(
    'for ten steps after a command that takes longer than five minutes, %s',
    async (how) => {
      const { play, ask, keptForAnHour } = await longRun(0, agentOf());
      const kept = new PromptHistories();
      let before: ShownRow | undefined;
      for (let step = 1; step <= 14; step += 1) {
        const [by, known] = how.endsWith('reads them') ? [new PromptHistories(), undefined] : [kept, before];
        before = await play(step, by, known, step === 2 ? 301_000 : 1);
      }
      await ask(15, new PromptHistories());
      expect(keptForAnHour).toEqual(Array.from({ length: 15 }, (_, at) => at >= 2 && at < 12));
    },
  );
});

describe('what a step reads from the database', () => {
  it.each(PROCESSORS)('does not grow with the steps before it: %o', async (processor) => {
    const bytesAt = async (taken: number): Promise<number> => {
      const { play } = await longRun(taken, agentOf(processor));
      await play(taken + 1);
      return bytesOf(async () => {
        for (let step = taken + 2; step <= taken + 5; step += 1) await play(step);
      });
    };
    const [early, late] = [await bytesAt(20), await bytesAt(400)];
    expect(late).toBeLessThan(1.1 * early);
    // The newest output, and the one before it, which is final now.
    expect(late).toBeLessThan(4 * 2.5 * OUTPUT.length);
  });

  it('is no output that its prompt leaves out, when a worker has no room for the prompts of its runs', async () => {
    const { play } = await longRun(100, agentOf(), new PromptHistories(30_000));
    expect(await bytesOf(() => play(101))).toBeGreaterThan(100 * OUTPUT.length);
    for (const step of [102, 103]) expect(await bytesOf(() => play(step))).toBeLessThan(10 * OUTPUT.length);
  });

  it('is what was sent, whatever a worker has kept', async () => {
    for (const [i, processor] of PROCESSORS.entries())
      for (const most of [0, 30_000, 1e9]) {
        const { runId, play } = await longRun(30, agentOf(processor), new PromptHistories(most));
        for (let step = 31; step <= 36; step += 1) await play(step);
        for (const step of [31, 36])
          expect([i, most, (await promptOf(db, runId, step)).turns[0]?.proof]).toEqual([i, most, 'equal']);
      }
  });

  it.each(PROCESSORS)(
    'is no step from the third one of a slice on, and prompts are those of the record: %o',
    async (processor) => {
      const { runId, play } = await longRun(10, agentOf(processor));
      let before = await play(11);
      before = await play(12, undefined, before);
      const bytes = await bytesOf(async () => {
        for (let step = 13; step <= 16; step += 1) before = await play(step, undefined, before);
      });
      expect(bytes).toBeLessThan(OUTPUT.length);
      for (const step of [13, 16]) expect((await promptOf(db, runId, step)).turns[0]?.proof).toBe('equal');
      // Another slice reads what the record has.
      await evaluate(db, runId, 16, 'validate', 0.5, { shown: 'The score is 0.5.' });
      await play(17);
      await play(18, undefined, { ...before, step: 17 });
      for (const step of [17, 18]) expect((await promptOf(db, runId, step)).turns[0]?.proof).toBe('equal');
    },
  );

  it('shows an evaluation whose message came after the output was read', async () => {
    const { runId, prompts, ask, play, wait } = await longRun(2);
    await play(3);
    wait();
    expect(await ask(4)).toMatchObject({ kind: 'wait' });
    await evaluate(db, runId, 3, 'validate', 0.5, { shown: 'The score is 0.5.' });
    expect(await ask(4)).toMatchObject({ kind: 'action' });
    const [before, after] = prompts.slice(-2).map((messages) => messages.at(-1)?.content);
    expect(before).not.toContain('The score is 0.5.');
    expect(after).toContain('The score is 0.5.');
  });

  it('follows a worker that played some steps meanwhile, and a workflow that begins again', async () => {
    const { runId, play, prompts, ask } = await longRun(2);
    await play(3);
    await play(4, new PromptHistories());
    await play(5);
    const shown = prompts.at(-1)?.length;
    for (const step of [1, 2, 3, 4, 5]) expect(await ask(step)).toMatchObject({ kind: 'action' });
    await play(6);
    expect(prompts.at(-1)).toHaveLength((shown ?? 0) + 2);
    expect((await promptOf(db, runId, 6)).turns[0]?.proof).toBe('equal');
  });
});

describe('a container in which recorded commands are rerun', () => {
  it('reads no output of them', async () => {
    const { runId } = await longRun(40);
    const bytes = await bytesOf(async () => {
      expect(await db.store.lastExecuted(runId, 30)).toBe(30);
      expect(await db.store.lastExecuted(runId, 99)).toBe(40);
      expect(await db.store.recordedCommands(runId, { after: 10, through: 12 })).toEqual(
        [11, 12].map((step) => ({
          ...{ step, action: 'ls', exitCode: 0, timedOut: false, lost: false, commandMs: null },
        })),
      );
    });
    expect(bytes).toBeLessThan(OUTPUT.length);
  });
});

it('steps are read a few at a time', async () => {
  const { runId } = await longRun(40);
  const pages: number[][] = [];
  for await (const page of db.store.shownSteps(runId, { after: 3, through: 38, settledThrough: 5 })) {
    expect(page.length).toBeLessThanOrEqual(16);
    pages.push(page.map(({ step, observation }) => (observation === null ? -step : step)));
  }
  expect(pages.flat()).toEqual(Array.from({ length: 35 }, (_, i) => (i < 2 ? -(i + 4) : i + 4)));
});
