import { readlink } from 'node:fs/promises';
import { bootId, isAlive, startedAt } from './local/host-processes.js';

/**
 * What short-lived things carry, so that others can tell when nobody will clear them away: which process made them, and until when
 * they can be of use at the most.
 */
export interface Mark {
  maker: string;
  /** Seconds since 1970. */
  until: number;
}

const MARGIN_MS = 10 * 60_000;

let self: Promise<string> | undefined;

/** For something that is of use for so long at the most. */
export async function markFor(limitMs: number): Promise<Mark> {
  self ??= makerOf(process.pid);
  return { maker: await self, until: Math.ceil((Date.now() + limitMs + MARGIN_MS) / 1000) };
}

/** True: its time is over, or its maker has died. Of makers on other machines, or that see other processes, only their time is known. */
export async function isAbandoned(mark: Mark): Promise<boolean> {
  if (mark.until * 1000 < Date.now()) return true;
  const [boot, processes, pid, started] = mark.maker.split('/');
  if (boot === undefined || started === undefined) return false;
  if (boot !== (await bootId().catch(() => null)) || processes !== (await namespace())) return false;
  return !(await isAlive(Number(pid), Number(started)));
}

/** Boot, process namespace, process id and its start; empty where the system does not tell. */
export async function makerOf(pid: number): Promise<string> {
  try {
    const started = await startedAt(pid);
    return started === null ? '' : [await bootId(), await namespace(), pid, started].join('/');
  } catch {
    return '';
  }
}

const namespace = async (): Promise<string> => await readlink('/proc/self/ns/pid').catch(() => '');
