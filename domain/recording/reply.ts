import { encodeReplyAs, type Said } from '../agent/encode-reply-as.js';
import { parserOf } from '../agent/parse-reply.js';
import { decodeReply, type DecodedReply } from '../agent/reply-encoding.js';
import type { ReplyForm } from '../agent/reply-form.js';
import type { RecordedStep, Recording } from './recording.js';

/** Replaces a recorded command that this agent refuses, so that the rest can be played. */
export const REFUSED_STAND_IN = ': # the recorded command is refused by this agent';

const STAND_IN = {
  thought: 'The recorded command was refused; nothing is done in its place.',
  action: REFUSED_STAND_IN,
};
/** The end that every recording gets which has none: as in MLGym, the work is handed in. */
const HAND_IN = { thought: 'The recording ends here.', action: 'submit' };

const unix = (text: string): string => text.replaceAll('\r\n', '\n');
/** Line ends and blanks around a text are no part of what was said: formats differ in them. */
const same = (a: string, b: string): boolean => unix(a).trim() === unix(b).trim();
/** An empty script does nothing, but parsers refuse it. */
const runnable = (action: string): string => (action.trim() === '' ? ':' : action);

/**
 * A reply that this form reads as the recorded thought and command: the recorded reply, or both
 * written in the form. Only the thought may be changed or omitted. Null: no room for the command.
 */
export function bridgedReply(form: ReplyForm, step: Said & Pick<RecordedStep, 'response'>): DecodedReply | null {
  const said = { thought: step.thought, action: runnable(step.action) };
  const recorded = decodeReply(step.response);
  const read = parserOf(form.parser)(recorded, form);
  if (read.kind === 'action' && same(read.action, said.action) && same(read.thought, said.thought)) return recorded;
  return written(form, said);
}

const written = (form: ReplyForm, said: Said): DecodedReply | null =>
  encodeReplyAs(form.parser, said, form) ??
  encodeReplyAs(form.parser, { thought: unix(said.thought), action: unix(said.action) }, form);

/** The first step, from 1, whose command this form cannot hold; null: it holds all. */
export function unplayableStep(form: ReplyForm, recording: Recording): number | null {
  const at = recording.steps.findIndex((step) => bridgedReply(form, step) === null);
  if (at !== -1) return at + 1;
  return written(form, HAND_IN) === null ? recording.steps.length + 1 : null;
}

/**
 * The reply of a step (from 1) after so many requeries. Recorded replies can be read, so a requery
 * means a refused command: a command that does nothing follows. After the last step comes a
 * submission. Null: the form cannot express the command.
 */
export function replayedReply(
  form: ReplyForm,
  recording: Recording,
  { step, requeries }: { step: number; requeries: number },
): DecodedReply | null {
  if (requeries > 0) return written(form, STAND_IN);
  const recorded = recording.steps[step - 1];
  return recorded === undefined ? written(form, HAND_IN) : bridgedReply(form, recorded);
}
