import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { loadRecording, REPLAY_PREFIX, selectTaskIds } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ReplayRequest, replayRequestSchema } from '../../domain/requests/tasks.js';
import type { Backend } from '../../domain/run/run.js';
import type { BenchSettings } from '../settings.js';
import { submitBatch, type SubmitPorts } from './submit-batch.js';

export interface StartedReplays {
  batchId: string;
  backend: Backend;
  recordings: number;
}

/** Replays all recordings below a folder as one batch, a run for each. `file` is the folder. */
export async function replayFolder(
  ports: SubmitPorts & { settings: Pick<BenchSettings, 'configFolders'> },
  input: ReplayRequest,
): Promise<StartedReplays> {
  const { file: folder, task, agent, backend, maxSteps, concurrency } = checkedRequest(replayRequestSchema, input);
  const tasks = selectTaskIds(ports.settings.configFolders, [task]);
  if (tasks.length !== 1)
    throw new BenchError('usage', `${task} names ${tasks.length} tasks; the recordings are of one`, {
      remedy: 'Give one task, and replay the others by commands of their own.',
      fields: { task: true },
    });
  const files = recordingsOf(folder, task);
  if (files.length === 0)
    throw new BenchError('usage', `${folder}: no recording of ${task}`, {
      code: 'recording.invalid',
      remedy: 'Name a folder with `.traj` files, or with the JSON of `bench trajectory <run>`.',
    });
  const longest = Math.max(...files.map((file) => loadRecording(file).recording.steps.length));
  const started = await submitBatch(ports, {
    models: files.map((file) => REPLAY_PREFIX + file),
    tasks: [task],
    agent,
    attempts: 1,
    maxSteps: maxSteps ?? longest + 1,
    concurrency: concurrency ?? 4,
    backend,
  });
  return { batchId: started.batchId, backend: started.backend, recordings: files.length };
}

/** Only those that MLGym names after this task, if any: others may be in the same folder. */
function recordingsOf(folder: string, task: string): string[] {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.traj') || name.endsWith('.json'))
    .filter((name) => parse(name).base !== 'results.json')
    .toSorted();
  const named = all.filter((name) => {
    const stem = parse(name).name;
    return stem === task || task.endsWith(`-${stem}`);
  });
  return (named.length > 0 ? named : all).map((name) => join(folder, name));
}
