import type { GatewayPort, OpenGateway } from '../domain/ports/gateway-port.js';
import type { OpenCalls } from '../domain/ports/metered-calls.js';
import { BenchError } from '../domain/errors.js';
import { bodiesOfAll } from './bodies.js';
import { serveGateway } from './serve.js';
import { GatewaySession, type SessionParts } from './session.js';
import { runToken } from './token.js';

export interface Gateways {
  open: OpenGateway;
  close: (runId: string) => void;
}

/** Gateways of the runs whose programs play on this worker. `secret`: source of the tokens. */
export function createGateways(parts: {
  store: SessionParts['store'];
  openCalls: OpenCalls;
  secret: string;
}): Gateways {
  const bodies = bodiesOfAll();
  const open = new Map<string, { folder: string; session: Promise<{ port: GatewayPort; close: () => void }> }>();
  const begin: (...args: Parameters<OpenGateway>) => Promise<{ port: GatewayPort; close: () => void }> = async (
    run,
    { folder, epoch },
  ) => {
    const { program } = run.agent;
    if (program === undefined) throw new BenchError('usage', `the agent of run ${run.runId} is no program`);
    const calls = parts.openCalls(run);
    // Answers of a dead worker's calls are lost.
    await parts.store.giveUpCalls(run.runId);
    const token = runToken(parts.secret, run.runId);
    const session = new GatewaySession({ run, program, epoch, token, store: parts.store, calls, bodies });
    const { close } = await serveGateway(session, folder);
    return { port: session, close };
  };
  const close = (runId: string): void => {
    const known = open.get(runId);
    open.delete(runId);
    void known?.session.then(({ close: end }) => end()).catch(() => undefined);
  };
  return {
    async open(run, at) {
      const known = open.get(run.runId);
      if (known?.folder === at.folder) return (await known.session).port;
      close(run.runId);
      const session = (async () => {
        // Calls of the previous container still end, and are settled by their cost.
        await (await known?.session.catch(() => undefined))?.port.settled();
        return begin(run, at);
      })();
      open.set(run.runId, { folder: at.folder, session });
      // Retry one that cannot be opened.
      session.catch(() => open.delete(run.runId));
      return (await session).port;
    },
    close,
  };
}
