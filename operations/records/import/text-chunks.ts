import { createReadStream } from 'node:fs';
import { UnreadableFile } from './unreadable-file.js';

const CHUNK_BYTES = 64 * 1024;

const reason = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
};

/** Text of a file or a part of it. Throws UnreadableFile if it is not UTF-8 or cannot be read. */
export async function* textChunks(
  path: string,
  file: string,
  range: { start?: number; end?: number } = {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes: Uint8Array | undefined, position: number): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch {
      throw new UnreadableFile(file, '', 'wrong_encoding', `not UTF-8, near byte ${position}`);
    }
  };
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES, ...range });
  let position = 0;
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      if (position === 0 && isUtf16(bytes))
        throw new UnreadableFile(file, '', 'wrong_encoding', 'UTF-16, where UTF-8 was expected');
      const text = decode(bytes, position);
      position += bytes.length;
      if (text !== '') yield text;
    }
    const rest = decode(undefined, position);
    if (rest !== '') yield rest;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(file, '', 'unreadable', `cannot be read: ${reason(error)}`);
  } finally {
    stream.destroy();
  }
}

const isUtf16 = (bytes: Buffer): boolean =>
  (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
