import { basename } from 'node:path';
import { type Json, readJson } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { textChunks } from '../text-chunks.js';
import { UnreadableFile } from '../unreadable-file.js';
import { type Fields, textOf } from './json-values.js';
import { TEXT_LIMIT } from './text-limit.js';

const VERSIONS = /^ATIF-v1\.[0-8]$/;
const KEYS = [
  ...['schema_version', 'session_id', 'trajectory_id', 'agent', 'steps', 'notes', 'final_metrics', 'extra'],
  ...['continued_trajectory_ref', 'subagent_trajectories'],
];

/** All of a trajectory but its steps. Throws UnreadableFile where the file is none. */
export async function readHead(path: string, file: string, remarks: Remarks): Promise<Fields> {
  const values: Record<string, Json> = {};
  await readJson(textChunks(path, file), file, {
    lists: ['steps'],
    limit: () => TEXT_LIMIT,
    entry: () => undefined,
    // Whole trajectories: only a remark is kept of them.
    value: (key, value) => void (values[key] = key === 'subagent_trajectories' ? null : value),
  });
  const version = textOf(values['schema_version']);
  if (version === null || !VERSIONS.test(version))
    throw new UnreadableFile(
      file,
      'schema_version',
      'unknown_version',
      `${JSON.stringify(version)} is not ATIF-v1.0 to v1.8`,
    );
  for (const key of Object.keys(values))
    if (!KEYS.includes(key)) remarks.odd(file, key, 'unknown_key', 'not of ATIF: omitted');
  if (values['subagent_trajectories'] !== undefined)
    remarks.odd(file, 'subagent_trajectories', 'left_out', 'trajectories of subagents are not read');
  return values;
}

/** Stops reading once the file's kind is known. */
class Known extends Error {
  constructor(readonly atif: boolean) {
    super();
  }
}

/** Agents leave other JSON next to trajectories. null: the file cannot be read. */
export async function isAtif(path: string): Promise<boolean | null> {
  const file = basename(path);
  try {
    await readJson(textChunks(path, file), file, {
      lists: ['steps'],
      limit: () => ({ head: 1000, tail: 1000 }),
      entry: () => undefined,
      value: (key, value) => {
        if (key === 'schema_version') throw new Known(textOf(value)?.startsWith('ATIF-') === true);
      },
    });
    return false;
  } catch (error) {
    if (error instanceof Known) return error.atif;
    if (error instanceof UnreadableFile) return error.kind === 'wrong_type' ? false : null;
    throw error;
  }
}
