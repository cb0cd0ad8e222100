import { hostname } from 'node:os';
import { readlinkSync } from 'node:fs';
import type { WorkerIdentity } from '../domain/ports/worker-identity.js';
import { identify, isAlive } from '../services/process-identity.js';

/** Process ids are only comparable on one machine, or in one container. */
export function workerIdentity(): WorkerIdentity {
  const machine = `${hostname()}:${processNamespace()}`;
  const startTime = identify(process.pid)?.startTime ?? '';
  return {
    name: `${machine}/${process.pid}/${startTime}`,
    isGone(name) {
      const [where, pid, started = ''] = name.split('/');
      if (where !== machine || started === '') return false;
      return !isAlive({ pid: Number(pid), startTime: started });
    },
  };
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return process.platform;
  }
}
