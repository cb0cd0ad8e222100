import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HistoryAndWorkflowId } from '@temporalio/client';
import { DefaultLogger, Runtime, Worker, bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { HISTORIES } from './histories.js';

// Earlier histories must replay: a run survives an upgrade overnight. histories.ts lists them.
const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

const historyOf = (text: string): HistoryAndWorkflowId['history'] =>
  JSON.parse(text) as HistoryAndWorkflowId['history'];

let workflowBundle: WorkflowBundle;
/** Errors by history. One worker: starting one takes longer than a replay. */
const outcomes = new Map<string, Error | undefined>();
beforeAll(async () => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
  const histories = files.map((name) => ({
    workflowId: name,
    history: historyOf(readFileSync(folder + name, 'utf8')),
  }));
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories))
    outcomes.set(workflowId, error);
});

describe('saved histories replay', () => {
  it('there are those that are listed', () => {
    expect(files.toSorted()).toEqual(Object.keys(HISTORIES).toSorted());
  });
  it.each(files)('%s', (name) => {
    expect(outcomes.has(name)).toBe(true);
    expect(outcomes.get(name)).toBeUndefined();
  });
  it('and a history that this code would not have made is refused', async () => {
    const name = files.find((file) => file === 'model-elsewhere.run.json') ?? '';
    const text = readFileSync(folder + name, 'utf8').replaceAll('"nextAction"', '"anotherActivity"');
    const errors: unknown[] = [];
    const changed = [{ workflowId: name, history: historyOf(text) }];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, changed)) errors.push(error?.message);
    expect(errors).toEqual([expect.stringMatching(/[Nn]ondeterminism/)]);
  });
});
