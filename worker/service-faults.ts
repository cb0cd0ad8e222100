import { readFileSync } from 'node:fs';
import type { EventLog } from '../domain/ports/record/events.js';
import { type ServiceFault, serviceFaultSchema } from '../domain/home/service-fault.js';

/** Stores the supervisor's faults (deaths of services, a lost store) as events. Idempotent. */
export function serviceFaultReporter(store: EventLog, file: string): () => Promise<void> {
  let reported = 0;
  return async () => {
    const faults = readFaults(file);
    // The file was truncated.
    if (faults.length < reported) reported = 0;
    for (const { kind, service, at, reason } of faults.slice(reported)) {
      const what =
        kind === 'store_replaced'
          ? ({ kind: 'temporal_store_replaced', key: `store-${at}`, detail: `${service}: ${reason}` } as const)
          : ({ kind: 'service_failed', key: `${service}-${at}`, detail: `${service} ${reason}` } as const);
      await store.addEvent({ runId: null, batchId: null, ...what });
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
