import { describe, expect, it } from 'vitest';
import { buildMessages, formatErrorMessages } from '../../../../domain/agent/messages.js';
import { clipObservation } from '../../../../domain/text/format.js';
import type { StepRecord } from '../../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../../fakes/records.js';

const run = {
  task: taskSpec({ description: 'Win the game within {{ maxSteps }} steps.' }),
  agent: agentConfig({
    systemTemplate: 'You work in {{ workspace }}.',
    taskTemplate: '{{ task.description }} Step {{ currentStep }}, {{ remainingSteps }} left.',
    nextStepTemplate: '{{ observation }}|{{ exitCode }}|{{ currentStep }}|{{ remainingSteps }}|{{ workingDir }}',
    formatErrorTemplate: 'Not usable: {{ problem }}.',
  }),
  maxSteps: 5,
};

describe('buildMessages', () => {
  it('starts with the system and the task, before any step', () => {
    expect(buildMessages(run, [], '/ws')).toEqual([
      { role: 'system', content: 'You work in /ws.' },
      { role: 'user', content: 'Win the game within 5 steps. Step 1, 5 left.' },
    ]);
  });
  it('adds the raw reply and the observation of each step taken', () => {
    const steps: StepRecord[] = [
      stepRecord({ step: 1, response: 'reply one', observation: 'seen', exitCode: 2, workingDir: '/ws/src' }),
    ];
    expect(buildMessages(run, steps, '/ws').slice(2)).toEqual([
      { role: 'assistant', content: 'reply one' },
      { role: 'user', content: 'seen|2|2|4|/ws/src' },
    ]);
  });
  it('names the template and the variable when a template asks for what does not exist', () => {
    const broken = { ...run, agent: { ...run.agent, systemTemplate: 'Hello {{ nobody }}' } };
    expect(() => buildMessages(broken, [], '/ws')).toThrow(/template systemTemplate: .*undefined/);
  });
  it('never expands template syntax that comes from an observation', () => {
    const steps = [stepRecord({ step: 1, observation: '{{ task.description }} {% if %}' })];
    expect(buildMessages(run, steps, '/ws').at(-1)?.content).toContain('{{ task.description }} {% if %}');
  });
});

describe('formatErrorMessages', () => {
  it('shows the bad reply and the problem', () => {
    expect(formatErrorMessages(run, 'bad', 'no block')).toEqual([
      { role: 'assistant', content: 'bad' },
      { role: 'user', content: 'Not usable: no block.' },
    ]);
  });
  it('never sends an empty assistant message', () => {
    expect(formatErrorMessages(run, '', 'empty')[0]?.content).not.toBe('');
  });
});

describe('clipObservation', () => {
  it('keeps short text as it is', () => expect(clipObservation('abc', 10)).toBe('abc'));
  it('keeps head and tail of long text and counts the middle', () => {
    expect(clipObservation(`${'a'.repeat(10)}${'b'.repeat(5)}${'c'.repeat(10)}`, 20)).toBe(
      `${'a'.repeat(10)}\n[... 5 characters left out ...]\n${'c'.repeat(10)}`,
    );
  });
});
