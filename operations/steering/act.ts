import { BenchError } from '../../domain/errors.js';
import type { EventPages } from '../../domain/ports/reading/event-pages.js';
import type { EventLog } from '../../domain/ports/record/events.js';
import { wantedLabels } from '../../domain/requests/deletion.js';
import { forkRequestSchema } from '../../domain/requests/fork.js';
import type { ActionResult } from '../../domain/views/steering.js';
import { cancel } from '../batches/cancel.js';
import { forkRun } from '../batches/fork-run.js';
import { pause } from '../batches/pause.js';
import { raiseBudget } from '../batches/raise-budget.js';
import { resume } from '../batches/resume.js';
import { retry } from '../batches/retry.js';
import { drainHost } from '../home/hosts/drain.js';
import { removeHost } from '../home/hosts/remove.js';
import type { PortsOf } from '../ports-of.js';
import { labelBatch, labelRun } from '../records/deletion/label.js';
import { previewAction, type PreviewPorts, type WantedAction } from './preview.js';

type Done = Pick<ActionResult, 'result' | 'batchId' | 'runs'>;

type DoPorts = PortsOf<
  | typeof pause
  | typeof resume
  | typeof raiseBudget
  | typeof cancel
  | typeof retry
  | typeof forkRun
  | typeof drainHost
  | typeof removeHost
  | typeof labelBatch
  | typeof labelRun
>;

export type SteeringPorts = DoPorts &
  PreviewPorts & {
    store: Pick<EventLog, 'addEvent'>;
    pages: Pick<EventPages, 'eventDetail'>;
  };

export interface Asked extends WantedAction {
  tag: string;
  /** An action of the same key is done once. */
  key: string;
  who: string;
}

const KIND = 'operator_action';

/**
 * Performs a previewed action once per key, and records its author. BenchError (conflict,
 * `preview.outdated`): its effects have changed since the preview.
 */
export async function act(ports: SteeringPorts, asked: Asked): Promise<ActionResult> {
  const { store, pages } = ports;
  const preview = await previewAction(ports, asked);
  const { subject } = preview;
  const about = { runId: asked.of === 'runs' ? subject : null, batchId: asked.of === 'batches' ? subject : null };
  const key = `operator-${asked.key}`;
  const before = await pages.eventDetail({ ...about, key });
  if (before !== null) return { action: asked.action, subject, ...doneOf(before), repeated: true };
  if (preview.tag !== asked.tag)
    throw new BenchError('conflict', `the state has changed since the preview of ${asked.action}`, {
      code: 'preview.outdated',
      remedy: 'Look at what it would do now, and decide again.',
    });
  if (preview.refusal !== null)
    throw new BenchError('conflict', `${asked.action} of ${subject}: ${preview.refusal}`, {
      remedy: 'Nothing was changed.',
    });
  const done = await doIt(ports, asked, subject);
  await store.addEvent({ ...about, kind: KIND, key, detail: `${asked.who}: ${asked.action} ${JSON.stringify(done)}` });
  return { action: asked.action, subject, ...done, repeated: false };
}

/** Parses the event's detail. */
const doneOf = (detail: string): Done => JSON.parse(detail.slice(detail.indexOf('{'))) as Done;

/** In place of those before, by the verbs that add and remove. */
function setLabels(
  ports: DoPorts,
  verb: typeof labelBatch | typeof labelRun,
  before: readonly string[],
  { id, options }: Asked,
): ReturnType<typeof verb> {
  const { tags: tag, note } = wantedLabels(options);
  const untag = before.filter((one) => !tag.includes(one));
  return verb(ports, id, { note, ...(tag.length > 0 && { tag }), ...(untag.length > 0 && { untag }) });
}

async function doIt(ports: DoPorts, asked: Asked, id: string): Promise<Done> {
  const { of, action, options } = asked;
  const plain = (result: object, batchId: string | null = null, runs: string[] = []): Done => ({
    result: { ...result },
    batchId,
    runs,
  });
  switch (`${of} ${action}`) {
    case 'batches pause':
      return plain(await pause(ports, id), id);
    case 'batches resume':
      return plain((await resume(ports, id))[0] ?? {}, id);
    case 'batches budget':
      return plain(await raiseBudget(ports, id, String(options['usd'])), id);
    case 'batches cancel':
      return plain(await cancel(ports, id), id);
    case 'runs cancel':
      return plain(await cancel(ports, id), null, [id]);
    case 'batches retry':
    case 'runs retry': {
      const again = await retry(ports, id, { all: options['all'] === true });
      return plain(
        again,
        again.batchId,
        again.runs.map(({ runId }) => runId),
      );
    }
    case 'runs fork': {
      const { step, attempts, model, maxSteps } = options;
      const request = forkRequestSchema.parse({ runId: id, atStep: step, attempts, model, maxSteps });
      const { batchId, backend, runs } = await forkRun(ports, request);
      return plain(
        { batchId, backend, forkedFrom: id, forkedAtStep: step },
        batchId,
        runs.map(({ runId }) => runId),
      );
    }
    case 'batches label':
      return plain(await setLabels(ports, labelBatch, (await ports.queries.findBatch(id)).tags, asked), id);
    case 'runs label':
      return plain(await setLabels(ports, labelRun, (await ports.queries.findRun(id)).tags, asked));
    case 'hosts drain':
    case 'hosts undrain':
      await drainHost(ports, id, action === 'drain');
      return plain({ hostId: id, state: action === 'drain' ? 'drained' : 'up' });
    case 'hosts remove':
      await removeHost(ports, id);
      return plain({ hostId: id, state: 'removed' });
    default:
      throw new BenchError('not_found', `no action ${JSON.stringify(action)}`);
  }
}
