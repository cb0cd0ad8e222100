import type { WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { StepRecord } from '../domain/run.js';

type History = Awaited<ReturnType<WorkflowHandleWithFirstExecutionRunId['fetchHistory']>>;
type Timestamp = { seconds?: { toString(): string } | null; nanos?: number | null } | null | undefined;

export const STEP_PARTS = ['total', 'workflow', 'dispatch', 'model activity', 'command activity'] as const;
/**
 * One step's platform time, milliseconds. `workflow`: an activity's end to the next one scheduled; `dispatch`: scheduled to
 * started; the activities: their time less the model's and the command's own.
 */
export type StepParts = Record<(typeof STEP_PARTS)[number], number>;

interface Activity {
  name: string;
  scheduled: number;
  started: number;
  closed: number;
}

/** Cut an agent loop's history into its steps; steps with an evaluation are left out. */
export function stepParts(history: History, steps: StepRecord[]): StepParts[] {
  const activities = closedActivities(history);
  const parts: StepParts[] = [];
  let turn = 0;
  for (let i = 0; i + 1 < activities.length; i++) {
    const [before, ask, command] = [activities[i - 1], activities[i], activities[i + 1]];
    if (ask?.name !== 'nextAction' || command?.name !== 'executeCommand') continue;
    const record = steps[turn++];
    // The first step has no predecessor to measure from.
    if (record === undefined || before === undefined || before.name !== 'executeCommand') continue;
    const workflow = ask.scheduled - before.closed + (command.scheduled - ask.closed);
    const dispatch = ask.started - ask.scheduled + (command.started - command.scheduled);
    const model = ask.closed - ask.started - (record.modelMs ?? 0);
    const shell = command.closed - command.started - (record.commandMs ?? 0);
    parts.push({
      total: workflow + dispatch + model + shell,
      workflow,
      dispatch,
      'model activity': model,
      'command activity': shell,
    });
  }
  return parts;
}

/** The activities of a history that have ended, in the order of their ends; times in milliseconds. */
export function closedActivities(history: History): Activity[] {
  const open = new Map<string, Activity>();
  const closed: Activity[] = [];
  for (const event of history.events ?? []) {
    const at = milliseconds(event.eventTime);
    const scheduled = event.activityTaskScheduledEventAttributes;
    const started = event.activityTaskStartedEventAttributes;
    const completed = event.activityTaskCompletedEventAttributes;
    if (scheduled)
      open.set(String(event.eventId), {
        name: scheduled.activityType?.name ?? '',
        scheduled: at,
        started: at,
        closed: at,
      });
    if (started) {
      const activity = open.get(String(started.scheduledEventId));
      if (activity !== undefined) activity.started = at;
    }
    if (completed) {
      const activity = open.get(String(completed.scheduledEventId));
      if (activity !== undefined) closed.push({ ...activity, closed: at });
    }
  }
  return closed;
}

const milliseconds = (time: Timestamp): number =>
  Number(time?.seconds?.toString() ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
