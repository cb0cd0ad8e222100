import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, Worker, bundleWorkflowCode, type WorkflowBundle } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { HISTORIES } from './histories.js';

// Histories of earlier code must replay on today's: a run that was left overnight survives an upgrade. histories.ts says what each covers.
const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

let workflowBundle: WorkflowBundle;
beforeAll(async () => {
  const logger = new DefaultLogger('ERROR');
  Runtime.install({ logger });
  const workflowsPath = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));
  workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
}, 60_000);

describe('saved histories replay', () => {
  it('there are those that are listed', () => {
    expect(files.toSorted()).toEqual(Object.keys(HISTORIES).toSorted());
  });
  it.each(files)('%s', async (name) => {
    const history: unknown = JSON.parse(readFileSync(folder + name, 'utf8'));
    await Worker.runReplayHistory({ workflowBundle }, history);
  });
  it('and a history that this code would not have made is refused', async () => {
    const name = files.find((file) => file.endsWith('.agentLoop.json')) ?? '';
    const text = readFileSync(folder + name, 'utf8').replaceAll('"nextAction"', '"anotherActivity"');
    await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(text))).rejects.toThrow(/[Nn]ondeterminism/);
  });
});
