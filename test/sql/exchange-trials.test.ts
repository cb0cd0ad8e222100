import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { DirectoryResult, ImportDocument } from '../../domain/views/imports.js';
import { importExchanged } from '../../operations/records/import/exchange/import-exchanged.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
const root = mkdtempSync(join(tmpdir(), 'bench-exchange-trials-'));
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
  rmSync(root, { recursive: true });
});

let folders = 0;
/** A folder of such files, each JSON or text as it is. */
function folderOf(files: Record<string, object | string>, folder = join(root, `f${++folders}`)): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

const take = async (path: string, batch = `batch-${folders}`): Promise<ImportDocument> =>
  importExchanged(
    { imports: db.imports, databaseUrl: () => Promise.resolve('') },
    'atif',
    [path],
    { batch, dryRun: false },
    { signal: new AbortController().signal, onFound: () => undefined, onDirectory: () => undefined },
  );
async function one(path: string): Promise<DirectoryResult> {
  const { results } = await take(path);
  expect(results).toHaveLength(1);
  return results[0]!;
}
const said = ({ remarks }: DirectoryResult) => remarks.map(({ file, key, kind }) => [file, key, kind]);
const shown = async (result: DirectoryResult) => db.queries.showRun(result.runId!);
const observations = async (result: DirectoryResult) =>
  (await db.queries.trajectory(result.runId!)).map(({ observation }) => observation);

const agentStep = (id: number, text: string, more: object = {}) => ({
  ...{ step_id: id, source: 'agent', message: text },
  tool_calls: [{ tool_call_id: 'c', function_name: 'bash', arguments: { command: text } }],
  observation: { results: [{ source_call_id: 'c', content: `said ${text}` }] },
  metrics: { prompt_tokens: 100, completion_tokens: 10 },
  ...more,
});
const copied = (id: number, text: string) => ({
  ...{ step_id: id, source: 'agent', message: text, is_copied_context: true },
});
const user = { step_id: 1, source: 'user', message: 'Do it.' };
const trajectory = (steps: object[], more: object = {}) => ({
  ...{ schema_version: 'ATIF-v1.6', session_id: 'unknown', steps },
  agent: { name: 'terminus-2', version: '2.0', model_name: 'openai/gpt-5' },
  ...more,
});
const plain = trajectory([user, agentStep(2, 'a')]);
const result = (more: object = {}) => ({
  ...{ id: `id-${++folders}`, task_name: 'hello-world', trial_name: 'hello-world__abc' },
  ...{ exception_info: null, verifier_result: { rewards: { reward: 1 } } },
  ...more,
});
const trial = (more: object = {}, trajectory_: object = plain) =>
  folderOf({ 'agent/trajectory.json': trajectory_, 'result.json': result(more) });
const failed = (type: string, more: object = {}) =>
  trial({ exception_info: { exception_type: type, exception_message: 'so it was' }, verifier_result: null, ...more });

describe('a trial of Harbor', () => {
  const first = trajectory([user, agentStep(2, 'a'), agentStep(3, 'b')], {
    session_id: 's',
    continued_trajectory_ref: 'trajectory.cont-1.json',
    final_metrics: { total_prompt_tokens: 200, total_completion_tokens: 20, total_cost_usd: 0.1 },
  });
  const second = trajectory([{ ...user, is_copied_context: true }, copied(2, 'a'), agentStep(3, 'c')], {
    session_id: 's-cont-1',
    final_metrics: { total_prompt_tokens: 300, total_completion_tokens: 30, total_cost_usd: 0.25 },
  });
  const files = () => ({
    'agent/trajectory.json': first,
    'agent/trajectory.cont-1.json': second,
    'agent/trajectory.summarization-1-summary.json': plain,
    'agent/trajectory.summarization-1-answers.json': plain,
    'agent/mini-swe-agent.trajectory.json': { info: {}, messages: [] },
    'agent/list.json': '[1]',
    'agent/cut.json': '{"a": ',
    'verifier/ctrf.json': {},
    'config.json': {},
    'lock.json': {},
    'result.json': result(),
  });

  test('whose trajectory was summarised is one run: with its continuation, without copied steps and subagents', async () => {
    const done = await one(folderOf(files()));
    expect(done).toMatchObject({ outcome: 'imported', steps: 3 });
    expect(await observations(done)).toEqual(['said a', 'said b', 'said c']);
    expect(await shown(done)).toMatchObject({
      ...{ task: 'hello-world', finalScore: 1, recordedCostUsd: '0.25' },
      usage: { inputTokens: 300, outputTokens: 30 },
    });
    expect(said(done)).toEqual([
      ['agent/trajectory.summarization-1-answers.json', '', 'left_out'],
      ['agent/trajectory.cont-1.json', 'steps[0]', 'copied_context'],
    ]);
    expect(done.remarks.map(({ message }) => message)).toEqual([
      expect.stringContaining('this one and 1 more'),
      expect.stringContaining('2 times'),
    ]);
  });

  test('is the same run by its trajectory, its agent folder and its job, whose own files are none', async () => {
    const job = folderOf({ 'lock.json': { trials: [] }, 'config.json': {}, 'result.json': {}, 'job.log': '' });
    folderOf(files(), join(job, 't1'));
    expect(await take(job)).toMatchObject({ directories: 1, imported: 1, failed: 0 });
    for (const path of ['t1/agent/trajectory.json', 't1/agent', 't1'])
      expect(await take(join(job, path))).toMatchObject({ directories: 1, existing: 1 });
  });

  test('says where its trajectory goes on in a file that is not there', async () => {
    expect(said(await one(trial({}, first)))).toContainEqual([
      'agent/trajectory.json',
      'continued_trajectory_ref',
      'missing_file',
    ]);
  });

  test('without a trajectory is refused, and so is one whose trajectory is none', async () => {
    const without = await one(folderOf({ 'agent/log.txt': '', 'result.json': result() }));
    expect([without.outcome, said(without)]).toEqual(['failed', [['agent/trajectory.json', '', 'unreadable']]]);
    const none = await one(trial({}, { messages: [] }));
    expect(said(none)).toEqual([['agent/trajectory.json', 'schema_version', 'unknown_version']]);
  });

  test('is its own run though its agent gives every trajectory one session id', async () => {
    const job = folderOf({});
    for (const name of ['t1', 't2', 't3'])
      folderOf({ 'agent/trajectory.json': plain, 'result.json': result() }, join(job, name));
    expect(await take(job)).toMatchObject({ imported: 3, changed: 0 });
    expect(await take(job)).toMatchObject({ imported: 0, existing: 3 });
  });

  test('without an id is told from others by its name and its job', async () => {
    const job = folderOf({});
    for (const id of ['j1', 'j2'])
      folderOf(
        { 'agent/trajectory.json': plain, 'result.json': result({ id: undefined, config: { job_id: id } }) },
        join(job, id),
      );
    expect(await take(job)).toMatchObject({ imported: 2, changed: 0 });
  });

  test('whose reward was changed since is a changed one', async () => {
    const told = result();
    const folder = folderOf({ 'agent/trajectory.json': plain, 'result.json': told });
    expect(await take(folder, 'regraded')).toMatchObject({ imported: 1 });
    folderOf({ 'result.json': { ...told, verifier_result: { rewards: { reward: 0 } } } }, folder);
    expect(await take(folder, 'regraded')).toMatchObject({ existing: 0, changed: 1 });
  });

  test('has the times of its result', async () => {
    const done = await one(trial({ started_at: '2026-03-01T12:00:00.5Z', finished_at: '2026-03-01T12:30:00' }));
    expect(await shown(done)).toMatchObject({
      startedAt: '2026-03-01T12:00:00.500Z',
      endedAt: '2026-03-01T12:30:00.000Z',
    });
    expect(said(done)).toEqual([['result.json', 'finished_at', 'no_zone']]);
  });

  test('whose trajectory counts nothing has the tokens and the cost that Harbor was told', async () => {
    const done = await one(
      trial(
        { agent_result: { n_input_tokens: 70, n_output_tokens: 7, n_cache_tokens: 5, cost_usd: 0.5 } },
        trajectory([user, agentStep(2, 'a', { metrics: undefined })]),
      ),
    );
    expect(await shown(done)).toMatchObject({
      ...{ recordedCostUsd: '0.5', usage: { inputTokens: 70, outputTokens: 7, cachedTokens: 5 } },
    });
  });

  test('of a task with steps is one run of them all, with the reward of each', async () => {
    const folder = folderOf({
      'steps/one/agent/trajectory.json': trajectory([user, agentStep(2, 'a')]),
      'steps/after/agent/trajectory.json': trajectory([user, agentStep(2, 'b')]),
      'result.json': result({
        verifier_result: { rewards: { reward: 0.5 } },
        step_results: [
          { step_name: 'one', verifier_result: { rewards: { reward: 1 } } },
          { step_name: 'after', verifier_result: { rewards: { reward: 0 } } },
          { step_name: 'last' },
        ],
      }),
    });
    const done = await one(folder);
    expect(await observations(done)).toEqual(['said a\nDo it.', 'said b']);
    expect(await shown(done)).toMatchObject({
      ...{ task: 'hello-world', finalScore: 0.5, bestScore: 0.5, usage: { inputTokens: 200 } },
      evaluationList: [{ metrics: { reward: 0.5, 'one.reward': 1, 'after.reward': 0 } }],
    });
    expect(said(done)).toEqual([
      ['result.json', 'step_results[2]', 'missing_file'],
      ['steps/after/agent/trajectory.json', 'steps[0]', 'message_in_observation'],
    ]);
  });
});

describe('a trial that did not end by itself', () => {
  const began = { started_at: '2026-03-01T12:00:00Z' };
  const reward = { verifier_result: { rewards: { reward: 1 } } };
  test.each([
    ['AgentTimeoutError', reward, 'wall_time', 'ok', true],
    ['AgentTimeoutError', {}, 'wall_time', 'not_run', true],
    ['ContextWindowExceededError', reward, 'context', 'ok', true],
    ['AgentSafetyRefusalError', reward, 'forfeit', 'ok', true],
    ['ApiRateLimitError', reward, 'api', 'ok', true],
    ['NonZeroAgentExitCodeError', { ...reward, agent_execution: began }, 'runtime', 'ok', true],
    ['AgentAuthenticationError', {}, 'config_error', 'not_run', false],
    ['SandboxBuildFailedError', {}, 'infra_error', 'not_run', false],
    ['RuntimeError', { agent_execution: null }, 'infra_error', 'not_run', false],
    ['VerifierTimeoutError', {}, 'infra_error', 'evaluator_error', false],
    ['RewardFileNotFoundError', {}, 'infra_error', 'evaluator_error', false],
    ['AgentTimeoutError', { verifier: began }, 'infra_error', 'evaluator_error', false],
    ['AgentTimeoutError', { verifier_result: { rewards: {} } }, 'infra_error', 'evaluator_error', false],
    ['CancelledError', {}, 'cancelled', 'not_run', false],
  ] as const)('%s with %j ended as %s, %s', async (type, more, endReason, finalEvaluation, counted) => {
    const done = await one(failed(type, more));
    expect(done.remarks).toEqual([]);
    expect(await shown(done)).toMatchObject({ endReason, finalEvaluation, exitStatus: type });
    const { rows } = await db.pool.query('select counted from score_runs(true) where run_id = $1', [done.runId]);
    expect(rows).toEqual([{ counted }]);
  });

  test('by a fault of the sandbox counts for no score, though it has a reward', async () => {
    const done = await one(failed('SandboxLikelyOutOfMemoryError', reward));
    expect(await shown(done)).toMatchObject({ endReason: 'infra_error', finalScore: 1 });
    expect(said(done)).toEqual([['result.json', 'exception_info', 'score_not_counted']]);
  });

  test('in a step of its task says so', async () => {
    const step = (type: string) => ({
      ...{ step_name: 'one', exception_info: { exception_type: type, exception_message: '' } },
      verifier_result: { rewards: { reward: 1 } },
    });
    const of = async (...types: string[]) =>
      (await shown(await one(trial({ step_results: types.map(step) })))).endReason;
    expect(await of('AgentTimeoutError')).toBe('wall_time');
    expect(await of('AgentTimeoutError', 'HealthcheckError')).toBe('infra_error');
  });

  test('whose verifier gave no number has no score, and none of another name takes its place', async () => {
    const done = await one(trial({ verifier_result: { rewards: { reward: 'NaN', other: 1 } } }));
    expect(await shown(done)).toMatchObject({
      ...{ endReason: 'infra_error', finalEvaluation: 'evaluator_error', finalScore: null, primary: 'reward' },
    });
    expect(said(done)).toEqual([['result.json', 'verifier_result.rewards.reward', 'not_a_number']]);
  });
});
