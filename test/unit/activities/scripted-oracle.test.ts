import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createScriptedPlayer } from '../../../models/scripted/index.js';
import { writeCommands } from '../../../models/scripted/oracle.js';
import { blockedCommand } from '../../../domain/agent/blocklist.js';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { TaskSpec } from '../../../domain/task/task.js';
import { loadAgent, loadTask } from '../../../catalog/index.js';

const CONFIGS = join(import.meta.dirname, '..', '..', '..', 'configs');
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bench-oracle-'));
  mkdirSync(join(dir, 'oracle', 'model'), { recursive: true });
  writeFileSync(join(dir, 'oracle', "it's.py"), 'print("```")\nEND_OF_FILE\n');
  writeFileSync(join(dir, 'oracle', 'empty'), '');
  writeFileSync(join(dir, 'oracle', 'run.sh'), '#!/bin/sh\n');
  chmodSync(join(dir, 'oracle', 'run.sh'), 0o755);
  writeFileSync(join(dir, 'oracle', 'model', 'weights.bin'), BINARY);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const BINARY = Buffer.from(Array.from({ length: 250_001 }, (_, i) => (i * 131) % 251));

const task = (change: Partial<TaskSpec> = {}): TaskSpec => ({ ...loadTask([CONFIGS], 'blotto').spec, ...change });
const player = createScriptedPlayer(() => Promise.resolve(dir));

async function commands(policy: string, spec: TaskSpec): Promise<string[]> {
  const given: string[] = [];
  for (let step = 1; given.at(-1) !== 'submit'; step++) {
    const reply = await player.reply({
      ...{ model: { name: policy, kind: 'oracle', provider: 'scripted', model: policy }, messages: [] },
      ...{ turn: { runId: 'r', step, try: 0 }, plays: { task: spec, taskHash: 'x' } },
    });
    const parsed = parseFencedReply(reply.text);
    given.push(parsed.kind === 'action' ? parsed.action : `not an action: ${reply.text}`);
  }
  return given;
}

describe('scripted:oracle', () => {
  it('writes every file of oracle/ as it is, binary ones in pieces, then runs the command, validates and submits', async () => {
    const given = await commands('oracle', task({ oracle: { command: 'python3 oracle.py' } }));
    expect(given.slice(-3)).toEqual(['python3 oracle.py', 'validate', 'submit']);
    const writes = given.slice(0, -3);
    expect(writes).toHaveLength(3);
    expect(Math.max(...writes.map((text) => text.length))).toBeLessThan(140_000);
    const workspace = mkdtempSync(join(dir, 'workspace-'));
    for (const command of writes) execFileSync('bash', ['-e'], { input: command, cwd: workspace });
    for (const path of ["it's.py", 'empty', 'run.sh', 'model/weights.bin'])
      expect(readFileSync(join(workspace, path)).equals(readFileSync(join(dir, 'oracle', path))), path).toBe(true);
    expect(statSync(join(workspace, 'run.sh')).mode & 0o100).toBe(0o100);
  });

  it('gives commands that no agent of ours is refused', async () => {
    const lists = loadAgent([CONFIGS], 'default').config;
    for (const command of await commands('oracle', task()))
      expect(blockedCommand(command, lists), command.slice(0, 80)).toBeNull();
  });

  it('says what is missing where there is no oracle/', async () => {
    const nobody = createScriptedPlayer();
    const request = {
      model: { name: 'o', kind: 'oracle' as const, provider: 'scripted', model: 'oracle' },
      messages: [],
    };
    await expect(nobody.reply({ ...request, plays: { task: task(), taskHash: 'x' } })).rejects.toThrow(
      'Task blotto has no oracle/',
    );
  });

  it('fills pieces with small files, and cuts large ones', () => {
    const file = (path: string, bytes: number) => ({ path, content: Buffer.alloc(bytes, 7), executable: false });
    expect(writeCommands([file('a', 10), file('b', 20), file('c', 0)])).toHaveLength(1);
    expect(writeCommands([file('a', 96 * 1024), file('b', 1)])).toHaveLength(2);
    expect(writeCommands([])).toEqual([]);
  });
});

describe('scripted:baseline', () => {
  it('runs what makes the submission, if the task has such a command, and submits', async () => {
    expect(await commands('baseline', task())).toEqual(['submit']);
    expect(await commands('baseline', task({ baseline: { command: 'python3 baseline.py' } }))).toEqual([
      'python3 baseline.py',
      'submit',
    ]);
  });
});

it('scripted:spoiler leaves out the ways that no file of the submission can be spoiled in', async () => {
  const ways = async (submission: Partial<TaskSpec['submission']>) =>
    (await commands('spoiler', task({ submission: { ...task().submission, files: [], folders: [], ...submission } })))
      .map((command) => /spoil\.py (\w+) &&/.exec(command)?.[1])
      .filter((way) => way !== undefined && way !== 'keep');
  expect(await ways({ files: ['strategy.py'] })).toEqual(['empty', 'garbage', 'syntax_error', 'raises', 'missing']);
  const table = await ways({ files: ['submission.csv'] });
  expect(table).toEqual(expect.arrayContaining(['truncated', 'repeated_row', 'unknown_label', 'missing']));
  expect(table).not.toContain('raises');
  // What is in a folder is not known beforehand.
  expect(await ways({ folders: ['checkpoints'] })).toEqual(
    expect.arrayContaining(['extra_row', 'truncated', 'raises']),
  );
});
