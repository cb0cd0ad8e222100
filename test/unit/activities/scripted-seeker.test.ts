import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { loadTask } from '../../../catalog/index.js';
import { parseFencedReply } from '../../../domain/agent/parse-reply.js';
import type { TaskSpec } from '../../../domain/task/task.js';
import { createScriptedPlayer } from '../../../models/scripted/index.js';

const CONFIGS = join(import.meta.dirname, '../../../configs');
const root = mkdtempSync(join(tmpdir(), 'bench-seeker-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const folder = (name: string): string => {
  mkdirSync(join(root, name, 'oracle'), { recursive: true });
  return join(root, name);
};

/** What it does at this step of a node with this seed. */
async function command(dir: string, task: TaskSpec, step: number, seed: number): Promise<string> {
  const player = createScriptedPlayer(() => Promise.resolve(dir));
  const { text } = await player.reply({
    ...{ model: { name: 'seeker', kind: 'oracle', provider: 'scripted', model: 'seeker' }, messages: [] },
    ...{ turn: { runId: 'r', step, try: 0 }, plays: { task, taskHash: 'x', seed } },
  });
  const parsed = parseFencedReply(text);
  return parsed.kind === 'action' ? parsed.action : `not an action: ${text}`;
}
const play = (workspace: string, text: string): string =>
  execFileSync('bash', ['-e'], { input: text, cwd: workspace, encoding: 'utf8' });
const shareIn = (workspace: string): number => Number(readFileSync(join(workspace, 'known/share'), 'utf8'));

it('plays a solution with a share that each idea changes, and now and then leaves what cannot be scored', async () => {
  const { spec, dir } = loadTask([CONFIGS], 'battleOfSexes');
  const workspace = folder('game');
  cpSync(join(dir, 'starter'), workspace, { recursive: true });
  const moves = (): number[] | null => {
    try {
      const program = 'import strategy\nprint([strategy.row_strategy([(1, 1)]) for _ in range(2000)])';
      const printed = execFileSync('python3', ['-c', program], { cwd: workspace, stdio: 'pipe', encoding: 'utf8' });
      return JSON.parse(printed) as number[];
    } catch {
      return null;
    }
  };
  let before: number | null = null;
  const texts = await Promise.all(Array.from({ length: 20 }, (_, i) => command(dir, spec, 1, i + 1)));
  const spoils = (text: string): boolean => /^seed, broken = \d+, True$/m.test(text);
  for (const text of [...texts.filter((one) => !spoils(one)).slice(0, 4), ...texts.filter(spoils).slice(0, 1)]) {
    const said = play(workspace, text);
    const share = shareIn(workspace);
    expect(said).toBe(`share ${share === 0 || share === 1 ? share.toFixed(0) : share}\n`);
    expect(share).toBeGreaterThanOrEqual(before === null ? 0.1 : Math.max(0, before - 0.301));
    expect(share).toBeLessThanOrEqual(before === null ? 0.4 : Math.min(1, before + 0.201));
    before = share;
    const played = moves();
    expect(played === null).toBe(spoils(text));
    // After (1, 1) the starter chooses 0 one time in ten, the solution always.
    if (played !== null)
      expect(played.filter((move) => move === 0).length / 2000).toBeCloseTo(share + (1 - share) * 0.1, 1);
  }
  expect(texts.filter(spoils).length).toBeGreaterThan(0);
  expect(await command(dir, spec, 2, 1)).toBe('validate');
  expect(await command(dir, spec, 1, 5)).toBe(await command(dir, spec, 1, 5));
});

it("mixes the rows of a table with the baseline's, again after the table was removed", async () => {
  const dir = folder('table');
  const rows = (word: string): string =>
    `print("id,label", *[f"{i},${word}" for i in range(100)], sep="\\n", file=open("submission.csv", "w"))\n`;
  writeFileSync(join(dir, 'oracle/oracle.py'), rows('right'));
  const { spec } = loadTask([CONFIGS], 'regressionKaggleHousePrice');
  const workspace = folder('table-workspace');
  writeFileSync(join(workspace, 'baseline.py'), rows('wrong'));
  const scored = (): boolean => !readFileSync(join(workspace, 'submission.csv'), 'utf8').startsWith('nothing');
  let mixed = 0;
  for (let seed = 1; seed <= 4; seed++) {
    rmSync(join(workspace, 'submission.csv'), { force: true });
    play(workspace, await command(dir, spec, 1, seed));
    if (!scored()) continue;
    const lines = readFileSync(join(workspace, 'submission.csv'), 'utf8').trim().split('\n');
    expect(lines.map((line) => line.split(',')[0])).toEqual(['id', ...Array.from({ length: 100 }, (_, i) => `${i}`)]);
    const right = lines.filter((line) => line.endsWith(',right')).length;
    expect(Math.abs(right / 100 - shareIn(workspace))).toBeLessThan(0.25);
    mixed++;
  }
  expect(mixed).toBeGreaterThan(1);
  expect(existsSync(join(workspace, 'known/baseline.csv'))).toBe(true);
});

it('says which tasks it cannot play', async () => {
  const { spec, dir } = loadTask([CONFIGS], 'regressionKaggleHousePrice');
  const folders = { ...spec, submission: { ...spec.submission, files: [], folders: ['weights'] } };
  await expect(command(dir, folders, 1, 1)).rejects.toThrow(
    'scripted:seeker cannot play regressionKaggleHousePrice: it changes functions and CSV tables alone.',
  );
});
