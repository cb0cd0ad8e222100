/** How much of a text is kept, bytes of UTF-8: all of it up to `head + tail`, else its beginning and its end. */
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

/** Pieces can be single characters: they are handled together. */
const BLOCK_CHARACTERS = 8192;

/** A text that arrives in pieces, of which the middle is let go when it grows long: any length takes the same memory. */
export class TextCollector {
  #bytes = 0;
  #block = '';
  readonly #head: string[] = [];
  #headBytes = 0;
  readonly #rest: { text: string; bytes: number }[] = [];
  #restBytes = 0;
  #lost = false;

  constructor(readonly limit: TextLimit) {}

  /** Adds a piece that begins and ends with whole characters. */
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
    // More than the end needs: only when all is here is it known whether anything is left out.
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

  /** The text; if it was too long its head and tail, whole characters, and between them a line that counts what is left out. */
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
      // The words in which our sandboxes say it of a command's output.
      text: `${beginning.toString()}\n[... ${omitted} bytes of output not shown ...]\n${end.toString()}`,
      bytes: this.#bytes,
      clipped: true,
    };
  }
}

/** Is this byte inside of a character of UTF-8? */
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
