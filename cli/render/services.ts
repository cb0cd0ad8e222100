import type { Colors } from 'picocolors/types.js';
import type { ServiceStatus } from '../../services/index.js';

/** `postgres  healthy, process 4711, port 20123, restarted 2 times (last: was ended by SIGKILL)` */
export function describeService(service: ServiceStatus, colors: Colors): string {
  const colour = service.status === 'healthy' ? colors.green : colors.yellow;
  const parts = [colour(service.status)];
  if (service.pid !== null) parts.push(`process ${service.pid}`);
  if (service.port !== null) parts.push(`port ${service.port}`);
  if (service.restarts > 0) {
    const last = service.lastExit === null ? '' : ` (last: ${service.lastExit})`;
    parts.push(`restarted ${service.restarts === 1 ? 'once' : `${service.restarts} times`}${last}`);
  }
  return `${service.name.padEnd(9)} ${parts.join(', ')}`;
}
