import type { IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

export class UnusableResponse extends Error {
  override name = 'UnusableResponse';
}

const MAX_CODINGS = 3;

/**
 * The body as it was before its `content-encoding`: proxies compress what nobody asked them to. It
 * is unpacked while it is read, so that a small body cannot fill the memory; UnusableResponse
 * is thrown above `maxBytes`. Throws the connection's error if that is cut before the end.
 */
export async function* decodedBody(response: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  const codings = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  if (codings.length > MAX_CODINGS) throw unusable(response, `the response has ${codings.length} encodings`);
  let cut: Error | null = null;
  response.once('error', (error) => (cut = error));
  let body: Readable = response;
  for (const coding of codings) body = await unpacked(body, coding, response);
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw unusable(response, `the response is longer than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Of zlib: Z_DATA_ERROR, Z_BUF_ERROR, ERR_BROTLI_… or ERR__ERROR_….
    if (cut === null && codings.length > 0 && /^(Z_|ERR_(?!STREAM))/.test(code))
      throw unusable(response, `the response is not ${codings.join(', ')}, as it says`);
    throw cut ?? error;
  } finally {
    response.destroy();
  }
}

function unusable(response: IncomingMessage, message: string): UnusableResponse {
  response.destroy();
  return new UnusableResponse(message);
}

async function unpacked(body: Readable, coding: string, response: IncomingMessage): Promise<Readable> {
  const source = coding === 'deflate' ? await peeked(body) : { body, first: undefined };
  const unpack = unpackerOf(coding, source.first);
  if (unpack === null) throw unusable(response, `the response has the encoding ${coding.slice(0, 20)}`);
  // Errors reach the reader through the last stream.
  return pipeline(source.body, unpack, () => undefined);
}

function unpackerOf(coding: string, first: number | undefined): Transform | null {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip();
  if (coding === 'br') return createBrotliDecompress();
  if (coding !== 'deflate') return null;
  // Some servers send it without zlib's header.
  return first !== undefined && (first & 0x0f) !== 8 ? createInflateRaw() : createInflate();
}

async function peeked(body: Readable): Promise<{ body: Readable; first: number | undefined }> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const begin = await chunks.next();
  async function* whole(): AsyncGenerator<Buffer> {
    for (let next = begin; next.done !== true; next = await chunks.next()) yield next.value;
  }
  return { body: Readable.from(whole()), first: begin.done === true ? undefined : begin.value[0] };
}
