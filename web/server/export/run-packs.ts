import { entryOf, packOf, STEPS_A_PACK } from '../../../domain/static-form/packs.js';
import type { RunFiles, RunHead } from '../../../domain/views/run-head.js';
import type { RunRow } from '../../../domain/views/run-page.js';
import type { ClippedStep, ClippedText, StepSkeleton, StepWindow } from '../../../domain/views/steps.js';
import type { RouteName } from '../../api/routes.js';
import type { RouteAsker } from './ask-routes.js';
import type { PackWriter } from './pack-writer.js';
import { type Scrubber, unescaped } from './scrub.js';

type Values = Readonly<Record<string, unknown>>;

/** As the page requests them: steps per window, and bytes of each text's preview. */
const WINDOW = 20;
const PREVIEW = 4096;
const TEXTS = ['response', 'thought', 'action', 'observation'] as const;

export interface Exporting {
  routes: RouteAsker;
  writer: PackWriter;
  scrub: Scrubber;
  observations: boolean;
  files: boolean;
}

export class Pack {
  private readonly entries = new Map<string, string>();

  constructor(
    private readonly exporting: Exporting,
    readonly name: string,
  ) {}

  put(route: string, params: Values, query: Values, document: unknown): void {
    const json = JSON.stringify(this.exporting.scrub.document(document));
    this.exporting.scrub.refuseKeys(this.name, unescaped(json));
    this.entries.set(entryOf(route, params, query), json);
  }

  async ask<T>(route: RouteName, params: Values, query: Values = {}): Promise<T> {
    const document = await this.exporting.routes.json<T>(route, params, query);
    this.put(route, params, query, document);
    return document;
  }

  async askPages(route: RouteName, params: Values): Promise<void> {
    for (let after: string | null | undefined; after !== null;)
      after = (await this.ask<{ next: string | null }>(route, params, { limit: 1000, after })).next;
  }

  async write(): Promise<void> {
    await this.exporting.writer.write(this.name, this.entries);
  }
}

/** Steps in packs, long texts and files in their own packs. */
export async function writeRun(exporting: Exporting, run: RunRow, writtenFiles: Set<string>): Promise<void> {
  const id = { id: run.runId };
  const pack = new Pack(exporting, packOf('run', id, {}));
  const head: RunHead = await pack.ask('run', id);
  if (head.tree !== null) await pack.ask('tree', id);
  const steps: number[] = [];
  for (let after: number | null | undefined; after !== null;) {
    const page: StepSkeleton = await pack.ask('skeleton', id, { limit: 10_000, after });
    steps.push(...page.columns.step);
    after = page.next;
  }
  await pack.ask('evaluations', id);
  await pack.ask('setup', id);
  await pack.askPages('calls', id);
  await pack.askPages('runEvents', id);
  if (run.status !== 'ended') await pack.ask('waiting', id);
  const files = await exporting.routes.json<RunFiles>('files', id);
  pack.put('files', id, {}, exporting.files ? files : withoutFiles(files));
  await pack.write();
  if (exporting.files) await writeFiles(exporting, files, writtenFiles);
  await writeSteps(exporting, run.runId, steps);
}

const withoutFiles = (files: RunFiles): RunFiles => ({
  ...files,
  submissions: files.submissions.map((taken) => ({ ...taken, files: null })),
});

async function writeFiles(exporting: Exporting, files: RunFiles, written: Set<string>): Promise<void> {
  for (const { sha256 } of files.submissions.flatMap((taken) => taken.files ?? [])) {
    if (written.has(sha256)) continue;
    written.add(sha256);
    const params = { sha256 };
    const bytes = exporting.scrub.bytes(await exporting.routes.bytes('file', params));
    const name = packOf('file', params, {});
    exporting.scrub.refuseKeys(name, bytes.toString('latin1'));
    await exporting.writer.write(
      name,
      new Map([[entryOf('file', params, {}), JSON.stringify(bytes.toString('base64'))]]),
    );
  }
}

async function writeSteps(exporting: Exporting, runId: string, steps: readonly number[]): Promise<void> {
  const last = steps.at(-1) ?? 0;
  for (let first = 1; first <= last; first += STEPS_A_PACK) {
    const pack = new Pack(exporting, packOf('steps', { id: runId }, { from: first }));
    for (let from = first; from < first + STEPS_A_PACK && from <= last; from += WINDOW) {
      const asked = { from, to: from + WINDOW - 1, preview: PREVIEW };
      const window = await exporting.routes.json<StepWindow>('steps', { id: runId }, asked);
      const shown = [];
      for (const step of window.steps) shown.push(await writeTexts(exporting, runId, step));
      pack.put('steps', { id: runId }, asked, { steps: shown });
    }
    await pack.write();
  }
}

/** Whole texts go into a pack of the step; previews are cut from the scrubbed text. */
async function writeTexts(exporting: Exporting, runId: string, step: ClippedStep): Promise<ClippedStep> {
  const shown = { ...step };
  if (!exporting.observations && shown.observation !== null)
    shown.observation = { head: '', tail: '', omitted: 0, bytes: shown.observation.bytes };
  const pack = new Pack(exporting, packOf('stepText', { id: runId, step: step.step }, {}));
  let some = false;
  for (const text of TEXTS) {
    const clipped = shown[text];
    if (clipped === null || clipped.omitted === 0) continue;
    const params = { id: runId, step: String(step.step), text };
    const whole = await exporting.routes.text('stepText', params);
    pack.put('stepText', params, {}, whole);
    some = true;
    if (exporting.scrub.replaces) shown[text] = clippedAgain(exporting.scrub.text(whole), clipped);
  }
  if (some) await pack.write();
  return shown;
}

/** Else half a replaced word could stay at the cut. */
function clippedAgain(whole: string, { head, tail, bytes }: ClippedText): ClippedText {
  const chars = [...whole];
  const [first, last] = [[...head].length, [...tail].length];
  if (chars.length <= first + last) return { head: whole, tail: '', omitted: 0, bytes };
  return {
    head: chars.slice(0, first).join(''),
    tail: last === 0 ? '' : chars.slice(-last).join(''),
    omitted: chars.length - first - last,
    bytes: Buffer.byteLength(whole),
  };
}
