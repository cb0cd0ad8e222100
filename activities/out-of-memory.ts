import type { RunEvent } from '../domain/ports/record/events.js';
import type { CommandOutcome } from '../domain/ports/sandbox-port.js';
import type { TaskSpec } from '../domain/task/task.js';

type Killed = Pick<CommandOutcome, 'memoryKills'>;

function killedText({ memoryKills = 0 }: Killed, { memoryMb }: Pick<TaskSpec['limits'], 'memoryMb'>): string | null {
  if (memoryKills === 0) return null;
  const which = memoryKills === 1 ? 'a process was' : `${memoryKills} processes were`;
  return `${which} killed: the sandbox reached its memory limit of ${memoryMb} MB`;
}

export function memoryNotes(outcome: Killed, limits: TaskSpec['limits']): string[] {
  const text = killedText(outcome, limits);
  return text === null ? [] : [`[${text}]`];
}

export function memoryEvents(outcome: Killed, limits: TaskSpec['limits'], step: number): RunEvent[] {
  const text = killedText(outcome, limits);
  return text === null ? [] : [{ kind: 'agent_out_of_memory', key: `memory-${step}`, detail: `step ${step}: ${text}` }];
}
