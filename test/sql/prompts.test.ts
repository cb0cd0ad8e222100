import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelActivities } from '../../activities/next-action.js';
import { PromptHistories } from '../../activities/prompt-histories.js';
import { RunDefinitions } from '../../activities/run-definitions.js';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { agentConfigSchema } from '../../domain/agent/config.js';
import { forkOf } from '../../domain/run/fork.js';
import { freePlayer } from '../../models/free-player.js';
import { freeReply } from '../../models/free-reply.js';
import { importLines } from '../../operations/records/import/import-lines.js';
import { importMlgym } from '../../operations/records/import/import-mlgym.js';
import { findRunDirectories } from '../../operations/records/import/run-directories.js';
import { promptOf } from '../../operations/results/prompt.js';
import { oneRun, submission, task } from '../fixtures/rows.js';
import { publishedRunDirectories } from '../setup/run-directories.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { TurnsUnderWay } from '../../activities/turns-under-way.js';

const postgres = sharedDatabases();
let db: Database;
let there: Database;
let folder: string;
beforeAll(async () => {
  const urls = [await postgres.createDatabase(), await postgres.createDatabase()];
  for (const url of urls) await migrate(url);
  [db, there] = urls.map((url) => openDatabase(url, { max: 4 })) as [Database, Database];
  folder = mkdtempSync(join(tmpdir(), 'bench-prompts-'));
});
afterAll(async () => {
  await db.close();
  await there.close();
  rmSync(folder, { recursive: true, force: true });
});

const agent = agentConfigSchema.parse({
  schema: 1,
  description: 'Shows its steps.',
  systemTemplate: 'You work in {{ workspace }}.',
  taskTemplate: '{{ task.description }}\nstep {{ currentStep }} of {{ maxSteps }}\n$',
  nextStepTemplate: '{{ observation }}\n(left: {{ remainingSteps }}, open: {{ openFile }}, in {{ workingDir }})\n$',
  formatErrorTemplate: 'No: {{ problem }}',
  historyProcessor: 'last-2-observations',
});
const fenced = (command: string): string => `So.\n\`\`\`\n${command}\n\`\`\``;
/** What the player says in each step, in order; the last one is taken. */
const SAID = [
  [fenced('ls')],
  ['I look around.', fenced('vim a'), fenced('cat a')],
  [fenced('cat b')],
  ['no command', fenced('cat c')],
  ['a', 'b', 'c'],
];
const WORKSPACE = '/home/agent/workspace';

/** A run played by the activity that the product plays with, up to its end. */
async function played(over: Partial<SubmittedRun> = {}): Promise<SubmittedRun> {
  const run = await oneRun(db, task('shown'), { agent, agentHash: 'shows-its-steps', ...over });
  await db.store.sandboxStarted(run.runId, {
    ...{ epoch: 1, hostId: 'h', isolation: 'container', imageDigest: null, workspace: WORKSPACE },
  });
  const player = freePlayer(db.store, {
    reply: ({ messages, turn }) =>
      Promise.resolve(freeReply(messages, { text: SAID[turn!.step - 1]?.[turn!.try] ?? fenced('true') })),
  });
  const activities = modelActivities({
    store: db.store,
    definitions: new RunDefinitions(db.store),
    histories: new PromptHistories(),
    players: new Map([[run.model.provider, player]]),
    turns: new TurnsUnderWay(),
  });
  const cancellationSignal = new AbortController().signal;
  const context = { cancellationSignal, info: { attempt: 1 } } as unknown as Context;
  for (const step of SAID.keys()) {
    const { kind } = await asyncLocalStorage.run(context, () =>
      activities.nextAction({ runId: run.runId, step: step + 1, epoch: 1, fence: `f/${step}`, endsBy: null }),
    );
    if (kind !== 'action') break;
    await db.store.saveCommand(run.runId, step + 1, {
      ...{ observation: `output ${step + 1}`, exitCode: 0, timedOut: false, lost: false, outputBytes: 8 },
      ...{ requested: null, workingDir: `${WORKSPACE}/d${step + 1}`, commandMs: 1 },
      toolState: { openFile: `f${step + 1}`, firstLine: 1 } as never,
    });
  }
  return run;
}

describe('the prompt of a step', () => {
  it('is rendered again, requeries included, and is what was sent', async () => {
    const { runId } = await played();
    const proofs: string[][] = [];
    for (const step of SAID.keys()) proofs.push((await promptOf(db, runId, step + 1)).turns.map(({ proof }) => proof));
    expect(proofs).toEqual(SAID.map((said) => said.map(() => 'equal')));

    const third = await promptOf(db, runId, 3);
    expect(third).toMatchObject({ runId, requestedIn: runId, step: 3, source: 'rendered', tools: null });
    expect(third.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
    expect(third.messages[0]?.content).toBe(`You work in ${WORKSPACE}.`);
    expect(third.messages[5]?.content).toBe(`output 2\n(left: 48, open: f2, in ${WORKSPACE}/d2)\n$`);
    const second = await promptOf(db, runId, 2);
    expect(second.turns.map(({ added, reply }) => [added.map(({ role, content }) => [role, content]), reply])).toEqual([
      [[], 'I look around.'],
      [
        [
          ['assistant', 'I look around.'],
          ['user', expect.stringMatching(/^No: /)],
        ],
        fenced('vim a'),
      ],
      [
        [
          ['assistant', fenced('vim a')],
          ['user', expect.stringContaining('vim')],
        ],
        fenced('cat a'),
      ],
    ]);
  });

  it('that comes next has no proof yet, and one beyond is refused', async () => {
    const { runId } = await oneRun(db, task('idle'));
    expect((await promptOf(db, runId, 1)).turns).toMatchObject([{ try: 0, sent: [], reply: null, proof: 'none' }]);
    await expect(promptOf(db, runId, 2)).rejects.toMatchObject({ code: 'step.not_found' });
    await expect(promptOf(db, runId, 0)).rejects.toMatchObject({ code: 'step.not_found' });
  });

  it('is told apart from what was sent when the record was changed', async () => {
    const { runId } = await played();
    await db.pool.query(`update steps set observation = 'forged' where run_id = $1 and step = 1`, [runId]);
    expect((await promptOf(db, runId, 1)).turns[0]?.proof).toBe('equal');
    expect((await promptOf(db, runId, 2)).turns.map(({ proof }) => proof)).toEqual(Array(3).fill('different'));
  });

  it('that a fork copied is that of the run that asked', async () => {
    const origin = await played();
    const batch = submission(null, (batchId) => [forkOf(origin, { batchId, atStep: 2 })]);
    await db.intake.submit(batch);
    const runId = batch.runs[0]!.runId;
    const copied = await promptOf(db, runId, 2);
    expect(copied).toMatchObject({ runId, requestedIn: origin.runId });
    expect(copied.turns.map(({ proof }) => proof)).toEqual(['equal', 'equal', 'equal']);
    expect(await promptOf(db, runId, 3)).toMatchObject({ requestedIn: runId, turns: [{ proof: 'none' }] });
  });

  it('is rendered from an exported line as well, in another home', async () => {
    const { runId } = await played();
    await db.store.finishRun(runId, { endReason: 'format', finalEvaluation: 'not_run', detail: null });
    const file = join(folder, 'line.jsonl');
    let line = '';
    for await (const piece of db.exports.line(runId)) line += piece;
    writeFileSync(file, `${line}\n`);
    expect((await importLines(there, file)).map(({ outcome }) => outcome)).toEqual(['imported']);
    for (const step of SAID.keys())
      expect(await promptOf(there, runId, step + 1)).toEqual(await promptOf(db, runId, step + 1));
  });
});

interface History {
  history: { role: string; content: string }[];
}

/** Of what is too long to be kept whole: its end, with the status lines. */
const kept = (content: string): string => (content.length < 100_000 ? content : content.slice(-1_000));

describe('a run directory', () => {
  it('of MLGym shows the history that it had as prompts', async ({ skip }) => {
    const published = publishedRunDirectories();
    if (published.length === 0) return skip();
    const options = { batch: 'published', tasks: {}, dryRun: false };
    const results = await importMlgym(db.imports, await findRunDirectories(published), options);
    let compared = 0;
    for (const { runId, source } of results) {
      if (runId === null) continue;
      const file = `${source.split('__')[1]!}.traj`;
      const original = published.map((path) => join(path, file)).find((path) => path.includes(source))!;
      let before: History['history'];
      try {
        before = (JSON.parse(readFileSync(original, 'utf8')) as History).history;
      } catch {
        continue;
      }
      const said = ({ role, content }: History['history'][number]) => [role, kept(content)];
      compared += 1;
      const steps = (await db.queries.trajectory(runId)).length;
      const prompt = await promptOf(db, runId, steps);
      expect(prompt.messages.map(({ role, content }) => [role, kept(content)])).toEqual(
        before.slice(0, prompt.messages.length).map(said),
      );
      expect(prompt).toMatchObject({ source: 'recorded', turns: [{ proof: 'none' }] });
    }
    expect(compared).toBe(16);
  });
});
