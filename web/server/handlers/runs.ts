import { createHash } from 'node:crypto';
import { BenchError } from '../../../domain/errors.js';
import type { EventPages } from '../../../domain/ports/reading/event-pages.js';
import type { RunPages } from '../../../domain/ports/reading/run-pages.js';
import type { SearchPages } from '../../../domain/ports/reading/search-pages.js';
import type { StepPages } from '../../../domain/ports/reading/step-pages.js';
import type { TreeReads } from '../../../domain/ports/reading/trees.js';
import { STEP_TEXTS } from '../../../domain/run/step-badges.js';
import { runFiles, storedFile, type TakenFilesPorts } from '../../../operations/pages/files.js';
import { runImage, type RunImagePorts } from '../../../operations/pages/image.js';
import { stepPrompt } from '../../../operations/pages/prompt.js';
import { runIdOf } from '../../../operations/pages/resolve.js';
import { selectedRuns } from '../../../operations/pages/selected-runs.js';
import { runSetup } from '../../../operations/pages/setup.js';
import type { PromptPorts } from '../../../operations/results/prompt.js';
import { runTree } from '../../../operations/results/tree.js';
import type { runRoutes } from '../../api/runs.js';
import { type Handlers, Raw } from '../call.js';
import { HOSTILE_HEADERS } from '../headers.js';
import { stepOf } from './step-parameter.js';

const WINDOW = 100;

type RunPorts = TakenFilesPorts &
  RunImagePorts &
  PromptPorts & {
    pages: RunPages & StepPages & Pick<EventPages, 'eventPage'> & Pick<SearchPages, 'runsContaining'>;
    queries: TreeReads;
  };

export function runHandlers(ports: RunPorts): Handlers<Omit<typeof runRoutes, 'snapshotLink' | 'download'>> {
  const { pages } = ports;
  const selected = selectedRuns(ports);
  const idOf = ({ params }: { params: { readonly id: string } }): Promise<string> => runIdOf(ports, params.id);
  return {
    runs: async ({ query }) => pages.runPage(await selected(query)),
    runFacets: async ({ query }) => pages.runFacets(await selected(query)),
    activeRuns: () => pages.activeRuns(),
    run: async (call) => pages.runHead(await idOf(call)),
    skeleton: async (call) => pages.skeleton(await idOf(call), call.query),
    steps: async (call) => {
      const { from, to, preview } = call.query;
      if (to - from >= WINDOW)
        throw new BenchError('usage', `from and to may span ${WINDOW} steps`, { code: 'request.invalid' });
      return { steps: await pages.steps(await idOf(call), { from, to, preview }) };
    },
    stepText: async (call) => {
      const [step, named] = [stepOf(call), call.params.text];
      const text = STEP_TEXTS.find((one) => one === named);
      if (text === undefined)
        throw new BenchError('not_found', `a step has no text ${JSON.stringify(named.slice(0, 40))}`, {
          code: 'step.not_found',
          remedy: `It has ${STEP_TEXTS.join(', ')}.`,
        });
      const { from, to } = rangeOf(call.header('range'));
      const part = await pages.stepText({ runId: await idOf(call), step, text, from, to });
      const whole = from === 0 && part.bytes.length === part.total;
      return new Raw(whole ? 200 : 206, part.bytes, {
        ...HOSTILE_HEADERS,
        'Content-Type': 'text/plain; charset=utf-8',
        'Accept-Ranges': 'bytes',
        ...(!whole && {
          'Content-Range': `bytes ${from}-${Math.max(from, from + part.bytes.length - 1)}/${part.total}`,
        }),
        ETag: tagOf(part.bytes),
      });
    },
    prompt: (call) => stepPrompt(ports, call.params.id, stepOf(call)),
    image: async ({ params }) =>
      new Raw(200, await runImage(ports, params.id, params.image), {
        ...HOSTILE_HEADERS,
        'Content-Type': 'application/octet-stream',
        ETag: `"${params.image}"`,
      }),
    evaluations: async (call) => ({ evaluations: await pages.evaluations(await idOf(call)) }),
    calls: async (call) => pages.modelCalls(await idOf(call), call.query),
    runEvents: async (call) => pages.eventPage({ ...call.query, runId: await idOf(call) }),
    lineage: async (call) => pages.lineage(await idOf(call)),
    tree: (call) => runTree(ports, call.params.id),
    waiting: async (call) => pages.waiting(await idOf(call)),
    setup: (call) => runSetup(ports, call.params.id),
    files: (call) => runFiles(ports, call.params.id),
    file: async ({ params }) => {
      const { sha256 } = params;
      return new Raw(200, await storedFile(ports, sha256), {
        ...HOSTILE_HEADERS,
        'Content-Type': 'application/octet-stream',
        ETag: `"${sha256}"`,
      });
    },
  };
}

/** One range of bytes; other headers are ignored, as HTTP allows. */
function rangeOf(header: string | undefined): { from: number; to: number | null } {
  const [, from, to] = /^bytes=(\d{1,10})-(\d{1,10})?$/.exec(header ?? '') ?? [];
  if (from === undefined || (to !== undefined && Number(to) < Number(from))) return { from: 0, to: null };
  return { from: Number(from), to: to === undefined ? null : Number(to) };
}

const tagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
