import { readlink } from 'node:fs/promises';
import { bootId, isAlive, startedAt } from './local/host-processes.js';

/** A label on short-lived things, by which other workers know what to clean up. */
export interface Mark {
  maker: string;
  /** Seconds since 1970. */
  until: number;
}

const MARGIN_MS = 10 * 60_000;

let self: Promise<string> | undefined;

export async function markFor(limitMs: number): Promise<Mark> {
  self ??= makerOf(process.pid);
  return { maker: await self, until: Math.ceil((Date.now() + limitMs + MARGIN_MS) / 1000) };
}

/** It has expired, or its process died; across machines or namespaces only the expiry is known. */
export async function isAbandoned(mark: Mark): Promise<boolean> {
  if (mark.until * 1000 < Date.now()) return true;
  const [boot, processes, pid, started] = mark.maker.split('/');
  if (boot === undefined || started === undefined) return false;
  if (boot !== (await bootId().catch(() => null)) || processes !== (await namespace())) return false;
  return !(await isAlive(Number(pid), Number(started)));
}

/** Boot id, process namespace, pid and its start; empty where unknown. */
export async function makerOf(pid: number): Promise<string> {
  try {
    const started = await startedAt(pid);
    return started === null ? '' : [await bootId(), await namespace(), pid, started].join('/');
  } catch {
    return '';
  }
}

const namespace = async (): Promise<string> => await readlink('/proc/self/ns/pid').catch(() => '');
