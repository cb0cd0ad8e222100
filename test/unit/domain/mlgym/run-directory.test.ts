import { describe, expect, it } from 'vitest';
import { parseRunDirectory } from '../../../../domain/mlgym/run-directory.js';

describe('parseRunDirectory', () => {
  it('reads model, task, settings and index', () =>
    expect(
      parseRunDirectory('metagen-some-model-3.5__rlMetaMazeMisc__default__t-0.00__p-0.95__c-4.00__install-0__x_run_3'),
    ).toEqual({
      model: 'some-model-3.5',
      task: 'rlMetaMazeMisc',
      agent: 'default',
      temperature: 0,
      topP: 0.95,
      costLimitUsd: '4.00',
      runIndex: 3,
    }));

  it('reads a name without prefix, settings and index', () =>
    expect(parseRunDirectory('gpt-x__blotto')).toMatchObject({
      model: 'gpt-x',
      task: 'blotto',
      agent: null,
      runIndex: 0,
      costLimitUsd: null,
    }));

  it('takes a cost limit of 0 as none', () =>
    expect(parseRunDirectory('m__t__default__c-0.00_run_1')?.costLimitUsd).toBeNull());

  it.each(['', 'notes', 'a_b', '__task_run_1', 'metagen-__task', 'model____x'])('knows "%s" for another form', (name) =>
    expect(parseRunDirectory(name)).toBeNull(),
  );
});
