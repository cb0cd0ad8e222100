import type { Colors } from 'picocolors/types.js';
import { serviceFacts } from '../../operations/home/service-facts.js';
import type { RunningServices } from '../../operations/home/up.js';

/** `postgres  healthy, process 4711, port 20123, restarted 2 times (last: was ended by SIGKILL)` */
export function describeService(service: RunningServices['services'][number], colors: Colors): string {
  const colour = service.status === 'healthy' ? colors.green : colors.yellow;
  const [status, ...more] = serviceFacts(service);
  return `${service.name.padEnd(9)} ${[colour(status), ...more].join(', ')}`;
}
