/** Bytes of UTF-8 kept of a text: all up to `head + tail`, else its beginning and its end. */
export interface TextLimit {
  head: number;
  tail: number;
}

export interface ClippedText {
  text: string;
  /** Of the whole text, as UTF-8. */
  bytes: number;
  clipped: boolean;
}

/** Pieces can be single characters: batch them. */
const BLOCK_CHARACTERS = 8192;

/** Collects a text in pieces and drops the middle of a long one, to bound memory. */
export class TextCollector {
  #bytes = 0;
  #block = '';
  readonly #head: string[] = [];
  #headBytes = 0;
  readonly #rest: { text: string; bytes: number }[] = [];
  #restBytes = 0;
  #lost = false;

  constructor(readonly limit: TextLimit) {}

  /** `piece` begins and ends with whole characters. */
  add(piece: string): void {
    this.#block += piece;
    if (this.#block.length >= BLOCK_CHARACTERS) this.#store();
  }

  #store(): void {
    const text = this.#block;
    const bytes = Buffer.byteLength(text);
    this.#block = '';
    this.#bytes += bytes;
    if (this.#headBytes < this.limit.head) {
      this.#head.push(text);
      this.#headBytes += bytes;
      return;
    }
    this.#rest.push({ text, bytes });
    this.#restBytes += bytes;
    // More than the end needs: whether anything is omitted is known only at the end.
    for (
      let [first] = this.#rest;
      first && this.#restBytes - first.bytes >= this.limit.head + this.limit.tail;
      [first] = this.#rest
    ) {
      this.#rest.shift();
      this.#restBytes -= first.bytes;
      this.#lost = true;
    }
  }

  /** The text; a long one as head and tail around a line that counts the omitted bytes. */
  take(): ClippedText {
    this.#store();
    const head = this.#head.join('');
    const rest = this.#rest.map(({ text }) => text).join('');
    if (this.#bytes <= this.limit.head + this.limit.tail)
      return { text: head + rest, bytes: this.#bytes, clipped: false };
    const beginning = firstBytes(Buffer.from(this.#lost ? head : head + rest), this.limit.head);
    const end = lastBytes(Buffer.from(this.#lost ? rest : head + rest), this.limit.tail);
    const omitted = this.#bytes - beginning.length - end.length;
    return {
      // The same words as in our sandboxes' output.
      text: `${beginning.toString()}\n[... ${omitted} bytes of output not shown ...]\n${end.toString()}`,
      bytes: this.#bytes,
      clipped: true,
    };
  }
}

/** Whether this byte is inside a UTF-8 character. */
const inside = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function firstBytes(text: Buffer, count: number): Buffer {
  let end = Math.min(count, text.length);
  while (end > 0 && inside(text[end])) end -= 1;
  return text.subarray(0, end);
}

function lastBytes(text: Buffer, count: number): Buffer {
  let start = Math.max(0, text.length - count);
  while (start < text.length && inside(text[start])) start += 1;
  return text.subarray(start);
}
