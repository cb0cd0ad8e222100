import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ExchangedEnd, ExchangedRecord } from '../../../../domain/ports/imports.js';
import { readJson } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { textChunks } from '../text-chunks.js';
import { UnreadableFile } from '../unreadable-file.js';
import { foreignEnd } from './atif-end.js';
import { readHead } from './atif-head.js';
import { tellFinalLosses } from './atif-losses.js';
import { AtifSteps } from './atif-steps.js';
import { RESULT, type TrialResult } from './harbor-result.js';
import { type AtifFile, readTrial } from './harbor-trial.js';
import type { SourceRun } from './import-file.js';
import { type Fields, fieldsOf, textOf } from './json-values.js';
import { TEXT_LIMIT } from './text-limit.js';
import { endOf, recordOf, runExtraOf } from './source-run.js';

/** A trajectory alone, or a Harbor trial's folder. */
export type AtifSource = { path: string } | { trial: string };

export interface AtifOptions {
  /** The task, where the file does not name it. */
  task: string | null;
}

/** Throws UnreadableFile where there is no run. */
export async function readAtif(source: AtifSource, { task }: AtifOptions, remarks: Remarks): Promise<SourceRun> {
  const { parts, result } =
    'trial' in source ? await readTrial(source.trial, remarks) : await readAlone(source.path, remarks);
  const files = parts.flat();
  const [first] = files;
  if (first === undefined) throw new Error('a run has no trajectory');
  const agent = fieldsOf(first.head['agent']);
  const extra = runExtraOf(fieldsOf(first.head['extra'])['bench'], first.file, 'extra.bench', remarks);
  const trial = extra === null ? result : null;
  const record: ExchangedRecord = {
    format: 'atif',
    source:
      trial?.identity ??
      textOf(first.head['trajectory_id']) ??
      textOf(first.head['session_id']) ??
      ('trial' in source ? basename(source.trial) : first.file),
    contentHash: await hashOf(files, 'trial' in source && extra === null ? join(source.trial, RESULT) : null),
    ...(extra === null ? foreignRecord(agent, trial, task) : recordOf(extra)),
  };
  return {
    record,
    steps: async (write) => {
      const steps = new AtifSteps(remarks, write);
      for (const part of parts) {
        for (const file of part) await readSteps(file, steps, remarks);
        const last = part.at(-1) ?? first;
        if (extra === null) steps.totals.close(fieldsOf(last.head['final_metrics']), last.file, part.length, remarks);
      }
      await steps.end();
      const kept = { agent, notes: first.head['notes'] ?? null, extra: first.head['extra'] ?? null };
      if (extra !== null) return { ...endOf(extra, steps.count), prompt: steps.prompt, kept };
      const end: Omit<ExchangedEnd, 'kept'> = foreignEnd(trial, steps, first.file, remarks);
      return {
        ...end,
        kept: {
          ...kept,
          finals: files.map(({ head }) => head['final_metrics'] ?? null),
          exception: trial?.exception ?? null,
        },
      };
    },
  };
}

async function readAlone(path: string, remarks: Remarks): Promise<{ parts: AtifFile[][]; result: null }> {
  const file = basename(path);
  const head = await readHead(path, file, remarks);
  if (head['continued_trajectory_ref'] != null)
    remarks.odd(
      file,
      'continued_trajectory_ref',
      'left_out',
      `continues in ${JSON.stringify(head['continued_trajectory_ref'])}: together they are read only in a trial folder of Harbor`,
    );
  return { parts: [[{ path, file, head }]], result: null };
}

async function readSteps({ path, file, head }: AtifFile, steps: AtifSteps, remarks: Remarks): Promise<void> {
  steps.begin(file);
  await readJson(textChunks(path, file), file, {
    lists: ['steps'],
    limit: () => TEXT_LIMIT,
    entry: (_, index, value, clipped) => {
      for (const { key, bytes } of clipped)
        remarks.odd(file, key, 'clipped', `${bytes} bytes: its beginning and its end are kept`);
      return steps.add(index, fieldsOf(value));
    },
    value: () => undefined,
  });
  if (steps.entries === 0) throw new UnreadableFile(file, 'steps', 'missing_key', 'there are no steps');
  tellFinalLosses(fieldsOf(head['final_metrics']), { read: steps.entries, copied: steps.copied }, file, remarks);
}

/** A trial's hash also covers its result. */
async function hashOf(files: readonly AtifFile[], result: string | null): Promise<string> {
  const paths = [...files.map(({ path }) => path), ...(result !== null && existsSync(result) ? [result] : [])];
  const hashes: string[] = [];
  for (const path of paths) {
    const hash = createHash('sha256');
    for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
    hashes.push(hash.digest('hex'));
  }
  const [only, ...others] = hashes;
  return only !== undefined && others.length === 0 ? only : createHash('sha256').update(hashes.join(' ')).digest('hex');
}

/** For another tool's trajectory; fields that it lacks are unknown. */
function foreignRecord(
  agent: Fields,
  result: TrialResult | null,
  named: string | null,
): Omit<ExchangedRecord, 'format' | 'source' | 'contentHash'> {
  const model = textOf(agent['model_name']) ?? result?.model ?? 'unknown';
  const task = named ?? result?.task ?? 'unknown';
  return {
    task: {
      ...{ id: task, name: task, metric: result?.metric ?? 'reward' },
      // Without a reward the metric's name is unknown.
      assumed: result === null || Object.keys(result.metrics).length === 0,
      ...{ direction: 'maximize', min: null, max: null },
    },
    taskHash: null,
    model: { name: model, kind: 'real', provider: model.split('/')[0] ?? 'unknown', providerModel: model },
    agent: textOf(agent['name']) ?? 'unknown',
    ...{ attempt: 1, sampling: {}, seed: 0, maxSteps: 0, backend: 'docker', gpus: 0 },
    harnessVersion: `harbor ${textOf(agent['version']) ?? ''}`.trim(),
  };
}
