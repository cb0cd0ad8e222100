import type { ActivityInterceptors } from '@temporalio/worker';

const RUN_WORKFLOW = /^run\/(r-[a-z0-9]+)/;
const BATCH_WORKFLOW = /^batch\/(b-[a-z0-9]+)/;

/** `runId` is ours, Temporal's becomes `workflowRunId`. Drops task tokens. */
export function logFields(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { taskToken: _token, runId, ...rest } = meta;
  const fields: Record<string, unknown> = { ...rest };
  if (typeof runId === 'string') fields[runId.startsWith('r-') ? 'runId' : 'workflowRunId'] = runId;
  const workflowId = typeof meta['workflowId'] === 'string' ? meta['workflowId'] : '';
  const run = RUN_WORKFLOW.exec(workflowId)?.[1];
  const batch = BATCH_WORKFLOW.exec(workflowId)?.[1];
  if (run !== undefined) fields['runId'] ??= run;
  if (batch !== undefined) fields['batchId'] ??= batch;
  return fields;
}

export function activityFields(args: readonly unknown[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const [first] = args;
  if (typeof first !== 'object' || first === null) return fields;
  const given = first as Record<string, unknown>;
  for (const name of ['runId', 'batchId', 'step'])
    if (typeof given[name] === 'string' || typeof given[name] === 'number') fields[name] = given[name];
  return fields;
}

export function activityLogInterceptors(): ActivityInterceptors {
  let fields: Record<string, unknown> = {};
  return {
    inbound: {
      execute: (input, next) => {
        fields = activityFields(input.args);
        return next(input);
      },
    },
    outbound: { getLogAttributes: (input, next) => ({ ...next(input), ...fields }) },
  };
}
