import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A proxy of an engine's socket that can be made to fail. */
export interface EngineGate {
  url: string;
  /** Cuts open connections and refuses new ones until the gate is opened. */
  shut(): void;
  open(): void;
  /** Cuts requests for which `fails` returns true. */
  failRequests(fails: () => boolean): void;
  /** Connections and requests cut or refused so far. */
  readonly cut: number;
  close(): Promise<void>;
}

export async function openEngineGate(socketPath: string): Promise<EngineGate> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-gate-'));
  const path = join(dir, 'engine.sock');
  const pairs = new Set<Socket>();
  let isShut = false;
  let cut = 0;
  let fails = () => false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: socketPath, allowHalfOpen: true });
    const end = () => {
      client.destroy();
      engine.destroy();
      pairs.delete(client);
    };
    for (const side of [client, engine]) side.on('error', end).on('close', end);
    pairs.add(client);
    if (isShut) {
      cut += 1;
      end();
      return;
    }
    client.on('data', (chunk) => {
      // The first bytes of a request; the rest is treated the same.
      const begins = /^(GET|POST|PUT|DELETE|HEAD) \//.test(chunk.subarray(0, 8).toString('latin1'));
      if (begins && fails()) {
        cut += 1;
        end();
      }
    });
    client.pipe(engine);
    engine.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    url: `unix://${path}`,
    shut() {
      isShut = true;
      for (const client of pairs) {
        cut += 1;
        client.destroy();
      }
    },
    open() {
      isShut = false;
    },
    failRequests(next) {
      fails = next;
    },
    get cut() {
      return cut;
    },
    async close() {
      for (const client of pairs) client.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
