import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { groupBy } from '../../domain/text/group-by.js';

const GAMES = ['battleOfSexes', 'blotto', 'prisonersDilemma'];
/** Files that an agent may read before it changes anything. */
const FILES = ['strategy.py', 'target.py', 'evaluate.py'];
/** A file in fewer recordings is no starter: they had changed it before they opened it. */
const FEWEST = 5;
/** Longer evaluations are slow here too; one hit MLGym's limit of half an hour. */
const MOST_SECONDS = 60;

interface Trajectory {
  trajectory: { action: string; observation: string; execution_time?: number }[];
}
interface Recorded {
  name: string;
  path: string;
  steps: number;
  evaluations: number;
  seconds: number;
  /** Files as first shown, whole. */
  shown: ReadonlyMap<string, string>;
}

/** Recordings of one game that began with the same starter. */
export interface RecordedGame {
  task: string;
  recordings: string[];
  checkout: string;
}

/**
 * Copies recordings, with their checkouts, below `into`: those that show their starter and have two
 * evaluations, up to `longest` steps, shortest first, `most` per game and starter.
 */
export function recordedGames(
  checkout: string,
  into: string,
  { longest, most }: { longest: number; most: number },
): RecordedGame[] {
  const published = join(checkout, 'trajectories/mlgym_bench_v0');
  return GAMES.flatMap((task) => {
    const found = readdirSync(published)
      .filter((folder) => folder.includes(`__${task}__`))
      .toSorted()
      .flatMap((folder) => recorded(join(published, folder, `${task}.traj`), folder))
      .filter(({ shown, seconds }) => shown.has('strategy.py') && seconds <= MOST_SECONDS)
      .filter(({ steps, evaluations }) => evaluations >= 2 && steps <= longest);
    const starters = [...groupBy(found, ({ shown }) => shown.get('strategy.py')!).values()];
    return starters
      .filter(({ length }) => length >= FEWEST)
      .map((all, i): RecordedGame => {
        const chosen = all.toSorted((a, b) => a.steps - b.steps || (a.name < b.name ? -1 : 1)).slice(0, most);
        const own = join(into, `checkout-${task}-${i + 1}`);
        for (const part of ['configs', join('data', task)])
          cpSync(join(checkout, part), join(own, part), { recursive: true });
        for (const file of FILES) {
          const text = all.map(({ shown }) => shown.get(file)).find((one) => one !== undefined);
          if (text !== undefined) writeFileSync(join(own, 'data', task, file), text);
        }
        const folder = `${task}-${i + 1}`;
        mkdirSync(join(into, folder), { recursive: true });
        for (const { name, path } of chosen) copyFileSync(path, join(into, folder, name));
        return { task, checkout: own, recordings: chosen.map(({ name }) => join(folder, name)) };
      });
  });
}

function recorded(path: string, folder: string): Recorded[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  const { trajectory } = JSON.parse(text) as Trajectory;
  const shown = new Map<string, string>();
  for (const { observation } of trajectory) {
    const file = wholeFile(observation);
    if (file !== null && FILES.includes(file.name) && !shown.has(file.name)) shown.set(file.name, file.text);
  }
  const [, model = '', run = ''] = /^metagen-(.+?)__.*_run_(\d+)$/.exec(folder) ?? [];
  const evaluations = trajectory.filter(({ action }) => ['validate', 'submit'].includes(action.trim())).length;
  const seconds = Math.max(0, ...trajectory.map(({ execution_time: time }) => time ?? 0));
  return [{ name: `${model}-${run}.traj`, path, steps: trajectory.length, evaluations, seconds, shown }];
}

/** The output of `open`, if it is the whole file. */
function wholeFile(observation: string): { name: string; text: string } | null {
  const head = /^\[File: \/home\/agent\/workspace\/(\S+) \((\d+) lines total\)\]\n/m.exec(observation);
  if (head === null) return null;
  const lines: string[] = [];
  for (const line of observation.slice(head.index + head[0].length).split('\n')) {
    if (!line.startsWith(`${lines.length + 1}:`)) break;
    lines.push(line.slice(line.indexOf(':') + 1));
  }
  return lines.length === Number(head[2]) ? { name: head[1]!, text: `${lines.join('\n')}\n` } : null;
}
