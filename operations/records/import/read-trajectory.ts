import type { RecordedStep, StepWriter } from '../../../domain/ports/imports.js';
import { OUTPUT_HEAD_BYTES, OUTPUT_TAIL_BYTES } from '../../../domain/run/limits.js';
import type { Requested } from '../../../domain/run/run.js';
import type { TextLimit } from './clipped-text.js';
import { type Clipped, type Json, readJson } from './read-json.js';
import type { Remarks } from './remarks.js';
import { textChunks } from './text-chunks.js';

/** Observations as our own sandboxes keep them: the head and the tail of long ones. */
const OUTPUT: TextLimit = { head: OUTPUT_HEAD_BYTES, tail: OUTPUT_TAIL_BYTES };
/** Replies are kept whole here; no model has written so much. */
const REPLY: TextLimit = { head: 1024 * 1024, tail: 1024 * 1024 };
const REPLIES = ['trajectory.response', 'trajectory.thought', 'trajectory.action'];
const MOST_PROMPT_MESSAGES = 4;
/** What MLGym prints of a submission that it scored; of a missing one it prints much the same. */
const SCORED = /(^|\n)(Your code produced a valid submission artefact|Evaluation Score: )/;
/** With which MLGym's own agents end a message: all that tells it from an observation that is too long to be kept whole. */
const STATUS_LINES = /\n\(Current Step: \d+, Remaining Steps: -?\d+\)\n[^\n]*\n[^\n]*\nbash-\$$/;

/** What a `.traj` holds besides its steps. */
export interface Trajectory {
  steps: number;
  /** Steps whose action is `validate`; and those that say that one gave a score, alone or at the end of other commands. */
  validates: number[];
  valid: number[];
  /** Null: the file has none. */
  info: Readonly<Record<string, Json>> | null;
  environment: string | null;
  workspace: string | null;
  prompt: { role: string; content: string }[];
  /** What follows the observation in each step's message to the model; null: the two cannot be separated. */
  footers: (string | null)[];
  historyMessages: number;
  /** The action of the last assistant message in the history. */
  lastAction: string | null;
}

type Fields = Readonly<Record<string, Json>>;
const fieldsOf = (value: Json | undefined): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;

/** Reads a `.traj` of any size, and hands over its steps in order. Throws UnreadableFile; all else that is odd is a remark. */
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
  // MLGym notes the directory before each action, we the one after it: a step waits for the one that follows.
  let held: RecordedStep | null = null;
  let openBefore: string | null = null;
  /** Lengths of the observations, which their messages in the history begin with; null: clipped. */
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
  /** After the last there is no state; but what edits a file leaves it open. */
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

/** JSON within JSON: where the agent was before the action. */
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
    // Told below.
  }
  if (state === null && value != null && value !== '')
    remarks.odd(file, key, 'wrong_type', 'JSON with open_file and working_dir was expected; omitted');
  const text = (held: Json | undefined): string | null => (typeof held === 'string' && held !== '' ? held : null);
  const open = text(state?.['open_file']);
  return { workingDir: text(state?.['working_dir']), openFile: open === 'n/a' ? null : open };
}
