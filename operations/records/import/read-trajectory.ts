import type { RecordedStep, StepWriter } from '../../../domain/ports/imports.js';
import { OUTPUT_HEAD_BYTES, OUTPUT_TAIL_BYTES } from '../../../domain/run/limits.js';
import type { Requested } from '../../../domain/run/run.js';
import type { TextLimit } from './clipped-text.js';
import { type Clipped, type Json, readJson } from './read-json.js';
import type { Remarks } from './remarks.js';
import { textChunks } from './text-chunks.js';

/** Observations as our own sandboxes keep them: the head and the tail of long ones. */
const OUTPUT: TextLimit = { head: OUTPUT_HEAD_BYTES, tail: OUTPUT_TAIL_BYTES };
/** Keeps replies whole: no model has written so much. */
const REPLY: TextLimit = { head: 1024 * 1024, tail: 1024 * 1024 };
const REPLIES = ['trajectory.response', 'trajectory.thought', 'trajectory.action'];
const MOST_PROMPT_MESSAGES = 4;
/** MLGym's output for a scored submission; for a missing one it is similar. */
const SCORED = /(^|\n)(Your code produced a valid submission artefact|Evaluation Score: )/;
/** The end of MLGym agents' messages, which tells them from a clipped observation. */
const STATUS_LINES = /\n\(Current Step: \d+, Remaining Steps: -?\d+\)\n[^\n]*\n[^\n]*\nbash-\$$/;

/** The rest of a `.traj`. */
export interface Trajectory {
  steps: number;
  /** Steps whose action is `validate`; and those whose observation shows a score. */
  validates: number[];
  valid: number[];
  info: Readonly<Record<string, Json>> | null;
  environment: string | null;
  workspace: string | null;
  prompt: { role: string; content: string }[];
  /** The text after the observation in each step's message; null: they cannot be separated. */
  footers: (string | null)[];
  historyMessages: number;
  /** The action of the last assistant message in the history. */
  lastAction: string | null;
}

type Fields = Readonly<Record<string, Json>>;
const fieldsOf = (value: Json | undefined): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;

/** Passes a `.traj`'s steps in order. Throws UnreadableFile; other oddities are remarks. */
export async function readTrajectory(
  path: string,
  file: string,
  remarks: Remarks,
  write: StepWriter,
): Promise<Trajectory> {
  const found: Trajectory = {
    steps: 0,
    validates: [],
    valid: [],
    info: null,
    environment: null,
    workspace: null,
    prompt: [],
    footers: [],
    historyMessages: 0,
    lastAction: null,
  };
  const seen = new Set<string>();
  // MLGym records the directory before an action, bench the one after: a step waits for the next.
  let held: RecordedStep | null = null;
  let openBefore: string | null = null;
  /** Lengths of the observations, with which their messages begin; null: clipped. */
  const observed: (number | null)[] = [];
  const step = async (index: number, value: Json, clipped: readonly Clipped[]): Promise<void> => {
    const { record, state } = readStep(file, index, value, clipped, remarks);
    if (index === 0) found.workspace = state.workingDir;
    found.steps = index + 1;
    observed.push(clipped.some(({ key }) => key.endsWith('.observation')) ? null : (record.observation ?? '').length);
    if (record.requested === 'validate') found.validates.push(record.step);
    if (/\bvalidate\b/.test(record.action) && SCORED.test(record.observation ?? '')) found.valid.push(record.step);
    if (held !== null) await write({ ...held, ...state });
    held = record;
    openBefore = state.openFile;
  };
  /** No state follows the last step, but an edit leaves its file open. */
  const lastStep = async (): Promise<void> => {
    if (held !== null) await write(/^\s*(edit|insert)\b/.test(held.action) ? { ...held, openFile: openBefore } : held);
  };
  const message = (index: number, value: Json, clipped: readonly Clipped[]): void => {
    found.historyMessages = index + 1;
    const fields = fieldsOf(value);
    if (fields === null) return;
    const { role, content, action } = fields;
    if (role === 'assistant') {
      found.lastAction = typeof action === 'string' ? action : null;
      seen.add('assistant');
    } else if (!seen.has('assistant') && found.prompt.length < MOST_PROMPT_MESSAGES)
      found.prompt.push({
        role: typeof role === 'string' ? role : '',
        content: typeof content === 'string' ? content : '',
      });
    else if (role === 'user' && typeof content === 'string') {
      const length = observed[found.footers.length];
      found.footers.push(
        length != null && clipped.length === 0 ? content.slice(length) : (STATUS_LINES.exec(content)?.[0] ?? null),
      );
    }
  };
  await readJson(textChunks(path, file), file, {
    lists: ['trajectory', 'history'],
    limit: (key) => (REPLIES.includes(key) ? REPLY : OUTPUT),
    entry: (list, index, value, clipped) => {
      seen.add(list);
      if (list === 'history') return message(index, value, clipped);
      return step(index, value, clipped);
    },
    value: (key, value) => {
      seen.add(key);
      if (key === 'info') found.info = fieldsOf(value);
      else if (key === 'environment' && typeof value === 'string') found.environment = value;
      else if (key === 'trajectory') remarks.odd(file, key, 'wrong_type', 'a list of steps was expected; omitted');
    },
    opened: (list) => void seen.add(list),
  });
  await lastStep();
  for (const key of ['trajectory', 'history', 'info'])
    if (!seen.has(key)) remarks.odd(file, key, 'missing_key', 'is missing');
  return found;
}

function readStep(
  file: string,
  index: number,
  value: Json,
  clipped: readonly Clipped[],
  remarks: Remarks,
): { record: RecordedStep; state: Pick<RecordedStep, 'workingDir' | 'openFile'> } {
  const at = `trajectory[${index}]`;
  const fields = fieldsOf(value);
  if (fields === null) remarks.odd(file, at, 'wrong_type', 'a step was expected; taken as an empty one');
  for (const { key, bytes } of clipped)
    remarks.odd(file, key, 'clipped', `${bytes} bytes: its beginning and its end are kept`);
  const text = (key: string): string => {
    const held = fields?.[key];
    if (typeof held === 'string') return held;
    if (fields !== null)
      remarks.odd(
        file,
        `${at}.${key}`,
        held == null ? 'missing_key' : 'wrong_type',
        'a text was expected; taken as empty',
      );
    return '';
  };
  const time = fields?.['execution_time'];
  const timed = typeof time === 'number' && Number.isFinite(time) && time >= 0;
  if (!timed && time != null)
    remarks.odd(file, `${at}.execution_time`, 'not_a_number', 'seconds were expected; omitted');
  const observation = fields?.['observation'] === null ? null : text('observation');
  const action = text('action');
  return {
    record: {
      step: index + 1,
      response: text('response'),
      thought: text('thought'),
      action,
      observation,
      outputBytes:
        observation === null
          ? null
          : (clipped.find(({ key }) => key === `${at}.observation`)?.bytes ?? Buffer.byteLength(observation)),
      requested: requested(action),
      workingDir: null,
      openFile: null,
      commandMs: timed ? time * 1000 : null,
    },
    state: stateOf(fields?.['state'], file, `${at}.state`, remarks),
  };
}

function requested(action: string): Requested {
  const [word] = /^\S+/.exec(action.trim()) ?? [];
  return word === 'validate' || word === 'submit' ? word : null;
}

/** JSON within JSON: the agent's directory before the action. */
function stateOf(
  value: Json | undefined,
  file: string,
  key: string,
  remarks: Remarks,
): Pick<RecordedStep, 'workingDir' | 'openFile'> {
  let state: Fields | null = null;
  try {
    state = fieldsOf(typeof value === 'string' ? (JSON.parse(value) as Json) : value);
  } catch {
    // Reported below.
  }
  if (state === null && value != null && value !== '')
    remarks.odd(file, key, 'wrong_type', 'JSON with open_file and working_dir was expected; omitted');
  const text = (held: Json | undefined): string | null => (typeof held === 'string' && held !== '' ? held : null);
  const open = text(state?.['open_file']);
  return { workingDir: text(state?.['working_dir']), openFile: open === 'n/a' ? null : open };
}
