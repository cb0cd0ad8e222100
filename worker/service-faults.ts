import { readFileSync } from 'node:fs';
import type { EventLog } from '../domain/ports/record/events.js';
import { type ServiceFault, serviceFaultSchema } from '../domain/service-fault.js';

/** Stores the supervisor's faults (deaths of worker, Temporal, PostgreSQL) as events. Idempotent. */
export function serviceFaultReporter(store: EventLog, file: string): () => Promise<void> {
  let reported = 0;
  return async () => {
    const faults = readFaults(file);
    // The file was truncated.
    if (faults.length < reported) reported = 0;
    for (const { service, at, reason } of faults.slice(reported)) {
      const key = `${service}-${at}`;
      await store.addEvent({ runId: null, batchId: null, kind: 'service_ended', key, detail: `${service} ${reason}` });
      reported += 1;
    }
  };
}

function readFaults(file: string): ServiceFault[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      return [serviceFaultSchema.parse(JSON.parse(line))];
    } catch {
      // A line that is still being written, or was cut by a full disk.
      return [];
    }
  });
}
