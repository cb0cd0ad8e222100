import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** From /proc: Linux only. */
export function childrenOf(pid: number): number[] {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    return tasks.flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

/** TCP ports on which a process or its descendants listen. */
export function listeningPorts(root: number): number[] {
  const sockets = new Set(withDescendants(root).flatMap(socketsOf));
  const LISTENS = '0A';
  const ports = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/self/net/${kind}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTENS && sockets.has(fields[9] ?? ''))
      .map((fields) => parseInt(fields[1]?.split(':')[1] ?? '', 16)),
  );
  return [...new Set(ports)];
}

export const withDescendants = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(withDescendants)];

function socketsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}
