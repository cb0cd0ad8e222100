import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Front, openFront } from '../../../../envs/front/front.js';

const FAKE = resolve(import.meta.dirname, '../../../fakes/env-server.mjs');

export interface TestFront extends Front {
  serverPid: number;
  ended: Promise<number>;
  /** The front knows that the first server has died. */
  death: Promise<void>;
  /** kill -9 of the first server. */
  killServer(): Promise<void>;
  folder: string;
  /** How often a server was started, and how many requests reached one. */
  counts(): { starts: number; requests: number };
  /** Names that the front gave to requests, in the order in which they reached a server. */
  names(): string[];
  remove(): Promise<void>;
}

/** A listening front with test/fakes/env-server.mjs; `usage`: ends at once, or the second time. */
export async function openTestFront(
  mode: 'plain' | 'slow' | 'usage' | 'usage later' = 'plain',
  { socketsPerAddress = 100, allowHost = [] as readonly string[] } = {},
): Promise<TestFront> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-front-'));
  const state = join(folder, 'state.json');
  let end: (code: number) => void = () => undefined;
  const ended = new Promise<number>((settle) => (end = settle));
  let listens: (pid: number) => void = () => undefined;
  const listening = new Promise<number>((settle) => (listens = settle));
  let died: () => void = () => undefined;
  const death = new Promise<void>((settle) => (died = settle));
  const front = await openFront({
    ...{ host: '127.0.0.1', port: 0, sockets: join(folder, 'sockets'), socketsPerAddress, allowHost },
    command: (socket) => [process.execPath, FAKE, state, mode, socket],
    onListening: (_line, _url, pid) => listens(pid),
    onEnd: (code) => end(code),
    log: () => died(),
  });
  const serverPid = mode === 'usage' ? 0 : await listening;
  return {
    ...front,
    ...{ serverPid, ended, death, folder },
    async killServer() {
      process.kill(serverPid, 'SIGKILL');
      await death;
    },
    counts() {
      const { starts, requests } = JSON.parse(readFileSync(state, 'utf8')) as { starts: number; requests: number };
      return { starts, requests };
    },
    names: () => (JSON.parse(readFileSync(state, 'utf8')) as { names: string[] }).names,
    async remove() {
      await front.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
