import { loadRecording, REPLAY_PREFIX, selectTaskIds } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type ReplayRequest, replayRequestSchema } from '../../domain/requests/tasks.js';
import type { Backend } from '../../domain/run/run.js';
import type { BenchSettings } from '../settings.js';
import { submitBatch, type SubmitPorts } from './submit-batch.js';

export interface StartedReplay {
  runId: string;
  batchId: string;
  backend: Backend;
  replies: number;
}

export async function replay(
  ports: SubmitPorts & { settings: Pick<BenchSettings, 'configFolders'> },
  input: ReplayRequest,
): Promise<StartedReplay> {
  const request = checkedRequest(replayRequestSchema, input);
  const { file, task, agent } = request;
  const tasks = selectTaskIds(ports.settings.configFolders, [task]);
  if (tasks.length !== 1)
    throw new BenchError('usage', `${task} names ${tasks.length} tasks; a recording is of one`, {
      remedy: `Give one task, or submit the model ${REPLAY_PREFIX}${file} to play it on all of them.`,
      fields: { task: true },
    });
  const { recording } = loadRecording(file);
  const { batchId, backend, runs } = await submitBatch(ports, {
    models: [REPLAY_PREFIX + file],
    tasks: [task],
    agent,
    attempts: 1,
    maxSteps: request.maxSteps ?? recording.steps.length + 1,
    concurrency: 1,
    backend: request.backend,
  });
  return { runId: runs[0]!.runId, batchId, backend, replies: recording.steps.length };
}
