import { describe, expect, it } from 'vitest';
import { readDemonstration } from '../../../../domain/agent/demonstrations.js';
import { buildMessages } from '../../../../domain/agent/messages.js';
import { templateVariables } from '../../../../domain/agent/template-variables.js';
import type { AgentConfig } from '../../../../domain/agent/config.js';
import type { StepRecord } from '../../../../domain/run/run.js';
import { agentConfig, stepRecord, taskSpec } from '../../../fakes/records.js';

const run = (agent: Partial<AgentConfig>) => ({ task: taskSpec(), agent: agentConfig(agent), maxSteps: 5 });
const contents = (agent: Partial<AgentConfig>, observation?: string) =>
  buildMessages(run(agent), observation === undefined ? [] : [stepRecord({ observation })], '/ws').map(
    ({ content }) => content,
  );

const traj = JSON.stringify({
  history: [
    { role: 'system', content: 'rules', agent: 'primary_0' },
    { role: 'user', content: 'do it', agent: 'primary_0' },
    { role: 'assistant', content: 'done {{ nothing }}', agent: 'primary_7', thought: 't', action: 'a' },
  ],
});

describe('templates of user messages', () => {
  it('has the strategy after the task, on a line of its own', () =>
    expect(contents({ taskTemplate: 'task', strategyTemplate: 'step {{ currentStep }}' })[1]).toBe('task\nstep 1'));
  it('takes the template for no output when the observation is blank', () => {
    const agent = { nextStepTemplate: 'said {{ observation }}', nextStepNoOutputTemplate: 'nothing, {{ exitCode }}' };
    expect(contents(agent, ' \n')[3]).toBe('nothing, 0');
    expect(contents(agent, 'x')[3]).toBe('said x');
  });
  it('takes the next step for no output, and the task for the next step, where they are missing', () => {
    expect(contents({ nextStepTemplate: 'said {{ observation }}' }, '')[3]).toBe('said ');
    expect(contents({ nextStepTemplate: undefined, taskTemplate: '[{{ observation }}]' }, 'x')).toEqual(
      expect.arrayContaining(['[]', '[x]']),
    );
  });
  it('knows the documentation of the commands and variables of its own', () =>
    expect(contents({ systemTemplate: '{{ commandDocs }} {{ window }}', variables: { window: 7 } })[0]).toMatch(
      /^validate - .*\nsubmit - .* 7$/,
    ));
});

describe('demonstrations', () => {
  const demonstrations = [readDemonstration(traj, 'a.traj')];
  it('are read by role, whichever agent recorded them, without system messages', () =>
    expect(demonstrations[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant']));
  it('stand as one message between system and task', () => {
    const messages = buildMessages(
      run({ demonstrations, demonstrationTemplate: '<<{{ demonstration }}>>' }),
      [],
      '/ws',
    );
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
    expect(messages[1]?.content).toBe('<<do it\ndone {{ nothing }}>>');
  });
  it('stand as the messages that they were, if asked', () => {
    const messages = buildMessages(run({ demonstrations, putDemosInHistory: true }), [], '/ws');
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  });
  it('are not counted as observations', () => {
    const agent = { demonstrations, putDemosInHistory: true, historyProcessor: 'last-2-observations' } as const;
    expect(contents(agent, 'seen').slice(0, 3)).toEqual(['system', 'do it', 'done {{ nothing }}']);
  });
  it.each([
    '',
    '[]',
    '{"history":[]}',
    '{"history":[{"role":"user"}]}',
    '{"history":[{"role":"system","content":"x"}]}',
  ])('refuse %j', (text) => expect(() => readDemonstration(text, 'a.traj')).toThrow(/is not JSON|has no/));
});

describe('templateVariables', () => {
  const names = (template: string) => templateVariables(template).map(({ path, line }) => `${line}:${path.join('.')}`);
  it('finds variables in every branch, with their lines', () =>
    expect(names('{% if a %}\n{{ b.c }}{% elif d %}\n{{ e["f"].g }}{% else %}{{ h[i].j }}{% endif %}')).toEqual([
      '1:a',
      '2:b.c',
      '2:d',
      '3:e.f.g',
      '3:h',
      '3:i',
    ]));
  it('leaves out what the template itself gives a value', () =>
    expect(
      names(
        '{% for k, v in m %}{{ k }}{{ v }}{{ loop.index }}{% endfor %}{% set s = t %}{{ s }}{% macro f(p, q=1) %}{{ p }}{{ q }}{% endmacro %}{{ f(u) }}{{ range(3) }}',
      ),
    ).toEqual(['1:m', '1:t', '1:u']));
  it('leaves out names of filters, tests and keyword arguments', () =>
    expect(names('{{ a | join(b) | upper }}{{ c is defined }}{{ d(e=g) }}')).toEqual([
      '1:a',
      '1:b',
      '1:c',
      '1:d',
      '1:g',
    ]));
});

describe('what the sandbox reports', () => {
  const nextStepTemplate = '{{ openFile }} | {{ gpuNames }} | {{ gpuMemory }} | {{ memoryRecords }} | {{ WINDOW }}';
  const agent = agentConfig({
    taskTemplate: nextStepTemplate,
    nextStepTemplate,
    tools: { documentation: 'compact', environment: { WINDOW: '77' }, commands: [] },
  });
  const shown = (more: Partial<Parameters<typeof buildMessages>[0]>, toolState: StepRecord['toolState'] = null) =>
    buildMessages({ task: taskSpec(), agent, maxSteps: 5, ...more }, [stepRecord({ toolState })], '/ws')
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content);

  it('is nothing at first, and nothing from sandboxes that report nothing', () =>
    expect(shown({}, null)).toEqual(['n/a | none | none | off | 77', 'n/a | none | none | off | 77']));
  it('stands in the prompt after the step', () => {
    const gpus = [{ name: 'A', memoryMb: 1000, usedMb: 10.4 }];
    expect(shown({ gpus: 1, memoryRecords: 3 }, { openFile: '/ws/{{ a }}.py', gpus, memoryWritten: 2 })).toEqual([
      'n/a | unknown | unknown | 3 | 77',
      '/ws/{{ a }}.py | A | 10 of 1000 MB used | 5 | 77',
    ]);
  });
});
