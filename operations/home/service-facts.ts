import type { ServiceStatus } from '../../domain/views/home.js';

/** `['healthy', 'process 4711', 'port 20123', 'restarted 2 times (last: was ended by SIGKILL)']` */
export function serviceFacts({ status, pid, port, restarts, lastExit }: ServiceStatus): [string, ...string[]] {
  const last = lastExit === null ? '' : ` (last: ${lastExit})`;
  return [
    status,
    ...(pid === null ? [] : [`process ${pid}`]),
    ...(port === null ? [] : [`port ${port}`]),
    ...(restarts === 0 ? [] : [`restarted ${restarts === 1 ? 'once' : `${restarts} times`}${last}`]),
  ];
}
