import { describe, expect, it } from 'vitest';
import { activityFields, logFields } from '../../../worker/log-fields.js';

describe('fields of log lines', () => {
  it('name our run, and Temporal’s own by another name', () => {
    const meta = { workflowId: 'run/r-01abc', runId: 'f0f1-uuid', workflowType: 'run', taskToken: 'x' };
    expect(logFields(meta)).toEqual({
      workflowId: 'run/r-01abc',
      workflowType: 'run',
      runId: 'r-01abc',
      workflowRunId: 'f0f1-uuid',
    });
    expect(logFields({ workflowId: 'batch/b-01abc/3' })).toMatchObject({ batchId: 'b-01abc' });
    expect(logFields({ runId: 'r-1', step: 3 })).toEqual({ runId: 'r-1', step: 3 });
  });

  it('come from an activity’s arguments', () => {
    expect(activityFields([{ runId: 'r-1', step: 3, prompt: 'no' }])).toEqual({ runId: 'r-1', step: 3 });
    expect(activityFields([])).toEqual({});
    expect(activityFields(['text', null])).toEqual({});
  });
});
