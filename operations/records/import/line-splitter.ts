import { formatBytes } from '../../../domain/text/format.js';
import type { LinePart } from '../../../domain/ports/exports.js';
import { UnreadableFile } from './unreadable-file.js';

/** Limit of a value in characters, to bound memory; no record reaches it. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

const OUTSIDE = /["[\]{},:]/g;
const IN_STRING = /["\\]/g;

/**
 * Splits a line, one JSON object in pieces, into the texts of its values and list entries: numbers
 * stay exact, and memory is bounded for any number of entries. Does not validate the texts. Throws
 * UnreadableFile for no object, an early end, or an oversized value.
 */
export class LineSplitter {
  readonly #segment: string[] = [];
  #length = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #key: string | null = null;
  /** In a list whose entries are split; `null`: just after one. */
  #list: { entries: number } | null | undefined;
  #ended = false;

  constructor(
    readonly file: string,
    readonly lists: readonly string[],
    readonly most = MOST_CHARACTERS,
  ) {}

  /** The parts that this piece completes. */
  push(piece: string): LinePart[] {
    const parts: LinePart[] = [];
    let from = 0;
    const take = (to: number): string => {
      this.#keep(piece.slice(from, to));
      from = to + 1;
      const text = this.#segment.join('');
      this.#segment.length = 0;
      this.#length = 0;
      return text;
    };
    for (let at = 0; at < piece.length;) {
      if (this.#escaped) {
        this.#escaped = false;
        at += 1;
        continue;
      }
      const marks = this.#inString ? IN_STRING : OUTSIDE;
      marks.lastIndex = at;
      const found = marks.exec(piece);
      if (found === null) break;
      at = found.index + 1;
      const [mark] = found;
      if (mark === '"') this.#inString = !this.#inString;
      else if (mark === '\\') this.#escaped = true;
      else this.#mark(mark, () => take(found.index), parts);
    }
    this.#keep(piece.slice(from));
    return parts;
  }

  end(): void {
    if (!this.#ended) throw this.#refuse('truncated', 'the line ends in the middle');
    if (this.#segment.some((text) => /\S/.test(text)))
      throw this.#refuse('not_json', 'more text after the end of the object');
  }

  #mark(mark: string, take: () => string, parts: LinePart[]): void {
    const opening = mark === '{' || mark === '[';
    if (this.#depth === 0) {
      if (mark !== '{' || this.#ended || take().trim() !== '') throw this.#refuse('not_json', 'not a JSON object');
      this.#depth = 1;
    } else if (this.#depth === 1) this.#markOfRoot(mark, take, parts);
    else if (this.#depth === 2 && this.#list != null && !opening) this.#markOfList(mark, this.#list, take, parts);
    else if (opening) this.#depth += 1;
    else if (mark === '}' || mark === ']') this.#depth -= 1;
  }

  #markOfRoot(mark: string, take: () => string, parts: LinePart[]): void {
    if (mark === ':' && this.#key === null) this.#key = this.#keyOf(take());
    else if (mark === '[' && this.#list === undefined && this.lists.includes(this.#key ?? '')) {
      if (take().trim() !== '') throw this.#refuse('not_json', 'not JSON here');
      this.#list = { entries: 0 };
      this.#depth = 2;
    } else if (mark === '{' || mark === '[') this.#depth += 1;
    else if (mark === ',' || mark === '}') {
      const text = take();
      if (this.#list === null ? text.trim() !== '' : this.#key === null && (text.trim() !== '' || mark === ','))
        throw this.#refuse('not_json', 'not JSON here');
      if (this.#list === undefined && this.#key !== null) parts.push({ key: this.#key, listed: false, text });
      this.#key = null;
      this.#list = undefined;
      if (mark === ',') return;
      this.#depth = 0;
      this.#ended = true;
    } else throw this.#refuse('not_json', 'not JSON here');
  }

  #markOfList(mark: string, list: { entries: number }, take: () => string, parts: LinePart[]): void {
    if (mark !== ',' && mark !== ']') throw this.#refuse('not_json', 'not JSON here');
    const text = take();
    if (text.trim() !== '') parts.push({ key: this.#key ?? '', listed: true, text });
    else if (mark === ',' || list.entries > 0) throw this.#refuse('not_json', 'not JSON here');
    list.entries += 1;
    if (mark === ',') return;
    this.#list = null;
    this.#depth = 1;
  }

  #keyOf(text: string): string {
    try {
      const key: unknown = JSON.parse(text);
      if (typeof key === 'string') return key;
    } catch {
      // Reported below.
    }
    throw this.#refuse('not_json', 'not JSON here');
  }

  #keep(text: string): void {
    if (text === '') return;
    this.#segment.push(text);
    this.#length += text.length;
    if (this.#length > this.most) throw this.#refuse('too_large', `more than ${formatBytes(this.most)} in one value`);
  }

  #refuse(kind: 'truncated' | 'not_json' | 'too_large', message: string): UnreadableFile {
    const place = `${this.#key ?? ''}${this.#list == null ? '' : `[${this.#list.entries}]`}`;
    return new UnreadableFile(this.file, place, kind, message);
  }
}
