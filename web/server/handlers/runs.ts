import { createHash } from 'node:crypto';
import { BenchError } from '../../../domain/errors.js';
import type { RunPageRequest } from '../../../domain/requests/run-filter.js';
import { STEP_TEXTS, type StepText } from '../../../domain/step-badges.js';
import type { Bench } from '../../../operations/bench.js';
import { runFiles, storedFile } from '../../../operations/pages/files.js';
import { stepPrompt } from '../../../operations/pages/prompt.js';
import { runIdOf } from '../../../operations/pages/resolve.js';
import { selectedRuns } from '../../../operations/pages/selected-runs.js';
import { runSetup } from '../../../operations/pages/setup.js';
import { runTree } from '../../../operations/results/tree.js';
import { type Call, type Handler, Raw } from '../call.js';
import { HOSTILE_HEADERS } from '../headers.js';
import { stepOf } from './step-parameter.js';

const WINDOW = 100;

interface Page {
  after?: string;
  limit: number;
}

export function runHandlers(bench: Bench): Record<string, Handler> {
  const pages = async () => (await bench.database()).pages;
  const selected = selectedRuns(bench);
  const idOf = ({ params }: Call): Promise<string> => runIdOf(bench, params['id'] ?? '');
  return {
    runs: async ({ query }) => (await pages()).runPage(await selected(query as RunPageRequest)),
    runFacets: async ({ query }) => (await pages()).runFacets(await selected(query)),
    activeRuns: async () => (await pages()).activeRuns(),
    run: async (call) => (await pages()).runHead(await idOf(call)),
    skeleton: async (call) =>
      (await pages()).skeleton(await idOf(call), call.query as { after: number; limit: number }),
    steps: async (call) => {
      const { from, to, preview } = call.query as { from: number; to: number; preview: number };
      if (to - from >= WINDOW)
        throw new BenchError('usage', `from and to may span ${WINDOW} steps`, { code: 'request.invalid' });
      return { steps: await (await pages()).steps(await idOf(call), { from, to, preview }) };
    },
    stepText: async (call) => {
      const [step, text] = [stepOf(call), call.params['text'] ?? ''];
      if (!STEP_TEXTS.includes(text as StepText))
        throw new BenchError('not_found', `a step has no text ${JSON.stringify(text.slice(0, 40))}`, {
          code: 'step.not_found',
          remedy: `It has ${STEP_TEXTS.join(', ')}.`,
        });
      const { from, to } = rangeOf(call.header('range'));
      const part = await (await pages()).stepText({ runId: await idOf(call), step, text: text as StepText, from, to });
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
    prompt: (call) => stepPrompt(bench, call.params['id'] ?? '', stepOf(call)),
    evaluations: async (call) => ({ evaluations: await (await pages()).evaluations(await idOf(call)) }),
    calls: async (call) => (await pages()).modelCalls(await idOf(call), call.query as unknown as Page),
    runEvents: async (call) =>
      (await pages()).eventPage({ ...(call.query as unknown as Page), runId: await idOf(call) }),
    lineage: async (call) => (await pages()).lineage(await idOf(call)),
    tree: (call) => runTree(bench, call.params['id'] ?? ''),
    waiting: async (call) => (await pages()).waiting(await idOf(call)),
    setup: (call) => runSetup(bench, call.params['id'] ?? ''),
    files: (call) => runFiles(bench, call.params['id'] ?? ''),
    file: async ({ params }) => {
      const sha256 = params['sha256'] ?? '';
      return new Raw(200, await storedFile(bench, sha256), {
        ...HOSTILE_HEADERS,
        'Content-Type': 'application/octet-stream',
        ETag: `"${sha256}"`,
      });
    },
  };
}

/** One range of bytes; another one is not meant for us, and ignored, as HTTP allows. */
function rangeOf(header: string | undefined): { from: number; to: number | null } {
  const [, from, to] = /^bytes=(\d{1,10})-(\d{1,10})?$/.exec(header ?? '') ?? [];
  if (from === undefined || (to !== undefined && Number(to) < Number(from))) return { from: 0, to: null };
  return { from: Number(from), to: to === undefined ? null : Number(to) };
}

const tagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
