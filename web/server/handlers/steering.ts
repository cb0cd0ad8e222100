import { BenchError } from '../../../domain/errors.js';
import { BATCH_ACTIONS, HOST_ACTIONS, RUN_ACTIONS } from '../../../domain/run/steering.js';
import type { ActionResult } from '../../../domain/views/steering.js';
import { act } from '../../../operations/steering/act.js';
import { previewAction, type SteeredKind } from '../../../operations/steering/preview.js';
import type { Call, Handler } from '../call.js';
import type { PortsOf } from '../../../operations/ports-of.js';

const ACTIONS: Readonly<Record<SteeredKind, readonly string[]>> = {
  batches: BATCH_ACTIONS,
  runs: RUN_ACTIONS,
  hosts: HOST_ACTIONS,
};
/** Long enough for any random id. */
const KEY = /^[\w-]{8,100}$/;

export function steeringHandlers(ports: PortsOf<typeof previewAction | typeof act>): Record<string, Handler> {
  // Concurrent requests with one key share the result.
  const underWay = new Map<string, Promise<ActionResult>>();
  const handlers: Record<string, Handler> = {};
  for (const [of, actions] of Object.entries(ACTIONS) as [SteeredKind, readonly string[]][])
    for (const action of actions) {
      handlers[`${of} ${action} preview`] = ({ params, query }) =>
        previewAction(ports, { of, id: params['id'] ?? '', action, options: query });
      handlers[`${of} ${action}`] = async (call) => {
        const { tag, ...options } = call.body;
        const key = `${call.who?.name ?? ''}-${keyOf(call)}`;
        const running = underWay.get(key);
        if (running !== undefined) return { ...(await running), repeated: true };
        const done = act(ports, {
          ...{ of, id: call.params['id'] ?? '', action, options },
          ...{ tag: String(tag), key, who: call.who?.name ?? '' },
        });
        underWay.set(key, done);
        return done.finally(() => underWay.delete(key));
      };
    }
  return handlers;
}

function keyOf({ header }: Call): string {
  const key = header('idempotency-key') ?? '';
  if (KEY.test(key)) return key;
  throw new BenchError('usage', 'the header Idempotency-Key is missing or not a random id', {
    code: 'request.header_invalid',
    remedy: 'Send a new random id with each wish, and the same one when you repeat it.',
  });
}
