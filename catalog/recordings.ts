import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { BenchError } from '../domain/errors.js';
import { type Recording, recordingSchema } from '../domain/recording/recording.js';
import { readRecording } from '../domain/recording/reader.js';

export const REPLAY_PREFIX = 'replay:';

/** The longest published recording has about 1 MB. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface LoadedRecording {
  recording: Recording;
  /** SHA-256 over the recording as it is played, hex; ignores other content of the file. */
  hash: string;
}

function bytesOf(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES)
      throw new BenchError('usage', `${file} has ${size} bytes; a recording may have at most ${MAX_BYTES}`, {
        code: 'recording.invalid',
        remedy: 'Give the `.traj` of one run.',
      });
    return readFileSync(file);
  } catch (error) {
    if (error instanceof BenchError) throw error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    const why = { ENOENT: 'no such file', EISDIR: 'is a folder', EACCES: 'permission denied' }[code];
    throw new BenchError('usage', `${file}: ${why ?? `cannot be read (${code})`}`, {
      code: 'recording.invalid',
      remedy:
        'Give a `.traj` file or the JSON of `bench trajectory <run>`; paths are relative to the working directory.',
      cause: error,
    });
  }
}

function textOf(file: string): string {
  const bytes = bytesOf(file);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BenchError('usage', `${file}: not UTF-8 text`, {
      code: 'recording.invalid',
      remedy: 'Convert it, for example with `iconv -t UTF-8`; unpack a compressed file first.',
      cause,
    });
  }
}

/** `file` is relative to the working directory. Throws usage errors that name file and key. */
export function loadRecording(file: string): LoadedRecording {
  if (file === '')
    throw new BenchError('usage', `${REPLAY_PREFIX} names no file`, {
      code: 'recording.invalid',
      remedy: `Write ${REPLAY_PREFIX}run.traj; the path is relative to the working directory.`,
    });
  const recording = recordingSchema.parse(readRecording(textOf(file), file));
  return { recording, hash: createHash('sha256').update(JSON.stringify(recording)).digest('hex') };
}
