import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeRunId } from '../../domain/tree/node-ids.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { RunDetail } from '../../domain/views/runs.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import { BenchHome } from '../setup/bench-home.js';
import { treeAgent } from '../setup/tree-agent.js';

/** Five standard errors of the difference of two scores of a thousand games. */
const CHANCE = 0.06;

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
  const configs = join(home.dir, 'configs');
  cpSync(home.env['BENCH_CONFIGS'] ?? '', configs, { recursive: true });
  const agents = join(configs, 'agents');
  writeFileSync(
    join(agents, 'tree.yaml'),
    treeAgent(agents, '{ policy: greedy, drafts: 3, nodes: 9, nodeSteps: 4, parallel: 3 }'),
  );
  home.env['BENCH_CONFIGS'] = configs;
});
afterAll(() => home.remove());

const tree = ['--agent', 'tree', '--tasks', 'battleOfSexes', '--backend', 'local'];

describe('an agent that plays a tree of forks', () => {
  it('is one attempt, with the score of the node chosen by validation, tested once', async () => {
    const { runs, batchId } = await home.json<{ runs: { runId: string }[]; batchId: string }>(
      ...['submit', '--models', 'scripted:climber', ...tree, '--attempts', '1', '--seed', '7', '--wait'],
    );
    const runId = runs[0]!.runId;
    const played = await home.json<TreeDocument>('tree', runId);
    expect(played.nodes.map((node) => node.runId)).toEqual(played.nodes.map(({ node }) => nodeRunId(runId, node)));
    expect(played).toMatchObject({ policy: 'greedy', stopped: 'nodes', status: 'ended', charged: { nodes: 9 } });
    expect(played.nodes.slice(0, 3).every(({ operator, wave }) => operator === 'draft' && wave === 1)).toBe(true);
    expect(played.nodes.some(({ operator }) => operator === 'improve')).toBe(true);
    expect(played.nodes.every(({ status }) => status === 'scored' || status === 'failed')).toBe(true);
    const best = Math.max(...played.nodes.map(({ score }) => score ?? -Infinity));
    const selected = played.nodes.find(({ node }) => node === played.selectedNode)!;
    expect(selected.score).toBe(best);

    const run = await home.json<RunDetail>('show', runId);
    expect(run).toMatchObject({ endReason: 'submit', finalEvaluation: 'ok', steps: 18, maxSteps: 36 });
    expect(Math.abs(run.finalScore! - best)).toBeLessThan(CHANCE);
    expect(run.evaluationList).toMatchObject([{ kind: 'submit', split: 'test', number: 1, status: 'ok' }]);
    const of = await home.json<RunDetail>('show', selected.runId);
    expect(run.evaluationList[0]!.submissionSha256).toBe(of.evaluationList.at(-1)!.submissionSha256);

    const board = await home.json<Leaderboard>('leaderboard', '--batch', batchId, ...['--include', 'scripted,local']);
    expect(JSON.stringify(board)).toContain('scripted:climber');
    const everywhere = await home.sql<{ attempts: number; best: number }>(
      `select attempts::int, best_attempt as best from leaderboard_scores() where model = 'scripted:climber'`,
    );
    expect(everywhere).toEqual([{ attempts: 1, best: run.finalScore }]);
    // A node can be looked at and continued like any run; the tree itself is no line.
    expect(await home.json<TreeDocument>('tree', selected.runId)).toEqual(played);
    expect((await home.run('fork', runId, '--at-step', '1')).stderr).toContain('played a tree of forks');
  });

  it.each([
    ['a program', ['--agent', 'claude-tree'], 'it has no steps that forks could continue from'],
    ['runs without snapshots', [...tree, '--snapshot-every', '0'], 'would take none'],
    ['no node at all', ['--agent', 'none'], 'at least 1'],
  ])('is refused for %s, in a sentence, before anything is spent', async (_what, options, why) => {
    const agents = join(home.env['BENCH_CONFIGS']!, 'agents');
    writeFileSync(join(agents, 'none.yaml'), treeAgent(agents, '{ policy: greedy, nodes: 0 }'));
    writeFileSync(
      join(agents, 'claude-tree.yaml'),
      'schema: 1\nkind: program\ndescription: d\ninstall: {}\ncommand: run\nclient: anthropic\ntaskTemplate: t\nsearch: { policy: greedy }\n',
    );
    const before = await home.sql('select count(*) from batches');
    const all = ['--models', 'scripted:climber', '--tasks', 'battleOfSexes', '--backend', 'local', ...options];
    const refused = await home.run('submit', ...all);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(why);
    expect(await home.sql('select count(*) from batches')).toEqual(before);
  });

  it('is forecast by the limits of its whole tree', async () => {
    const planned = await home.json<{ estimate: { runs: number; peakMemoryMb: number } }>(
      ...['submit', '--models', 'scripted:climber', ...tree, '--attempts', '2', '--dry-run'],
    );
    // Two trees at once, with three nodes each of 2048 MB.
    expect(planned.estimate).toMatchObject({ runs: 2, peakMemoryMb: 2 * 3 * 2048 });
  });
});
