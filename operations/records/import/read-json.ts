// JSON tokens of any size, streamed: run records contain observations of many megabytes.
import { formatBytes } from '../../../domain/text/format.js';
import { jsonParser } from 'stream-json/core/parser.js';
import { type ClippedText, TextCollector, type TextLimit } from './clipped-text.js';
import { NO_NUMBER, PythonNumbers } from './python-numbers.js';
import { UnreadableFile } from './unreadable-file.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A text that was too long to be kept whole. */
export interface Clipped extends Pick<ClippedText, 'bytes'> {
  /** `trajectory[3].observation` */
  key: string;
}

export interface JsonReader {
  /** Keys of the root whose lists are passed entry by entry. */
  lists: readonly string[];
  /** Limit of texts under this key; list positions are omitted: `trajectory.observation`. */
  limit(key: string): TextLimit;
  /** One entry of such a list. Reading waits for it. */
  entry(list: string, index: number, value: Json, clipped: readonly Clipped[]): Promise<void> | void;
  /** Such a list begins; it may be empty. */
  opened?(list: string): void;
  /** Every other value of the root. */
  value(key: string, value: Json, clipped: readonly Clipped[]): Promise<void> | void;
}

/** Bounds memory; no record has so many. */
const MOST_VALUES = 200_000;
const MOST_LEVELS = 64;
/** Characters of an entry of a list, and of all other values of the root together. */
export const MOST_TEXT = 128 * 1024 * 1024;

type Container = { list: Json[] } | { object: Record<string, Json>; key: string };

/**
 * Reads an object of any size in bounded memory. NaN and infinities become NaN. Throws
 * UnreadableFile with the place for an early end, invalid JSON or an oversized value.
 */
export async function readJson(
  chunks: AsyncIterable<string>,
  file: string,
  reader: JsonReader,
  mostText = MOST_TEXT,
): Promise<void> {
  const tokenize = jsonParser({ packKeys: true, streamKeys: false, packStrings: false, streamNumbers: false });
  const numbers = new PythonNumbers();
  const walker = new Walker(file, reader, mostText);
  const feed = async (text: string): Promise<void> => {
    let tokens;
    try {
      tokens = tokenize(text);
    } catch (error) {
      if (walker.ended) throw new UnreadableFile(file, '', 'not_json', 'more text after the end of the object');
      const said = error instanceof Error ? error.message.replace(/^Parser cannot parse input: /, '') : String(error);
      throw new UnreadableFile(file, walker.place(), 'not_json', `not JSON here: ${said}`);
    }
    if (typeof tokens !== 'object') return;
    for (const token of tokens.values) {
      const pending = walker.take(token);
      if (pending !== undefined) await pending;
    }
  };
  let empty = true;
  for await (const chunk of chunks) {
    empty &&= chunk.trim() === '';
    const text = numbers.push(chunk);
    if (text !== '') await feed(text);
  }
  await feed(numbers.end());
  if (empty) throw new UnreadableFile(file, '', 'truncated', 'the file is empty');
  if (!walker.ended) throw new UnreadableFile(file, walker.place(), 'truncated', 'the file ends in the middle');
}

interface Token {
  name: string;
  value?: string | boolean | null;
}

/** Builds from the tokens only the values that the reader wants. */
class Walker {
  ended = false;
  readonly #stack: Container[] = [];
  /** The list of the root that is passed entry by entry, while it is open. */
  #open: { list: string; index: number } | null = null;
  #rootOpen = false;
  #rootKey: string | null = null;
  #text: TextCollector | null = null;
  #clipped: Clipped[] = [];
  #values = 0;
  #characters = 0;
  /** Characters passed outside of entries. */
  #ofRoot = 0;

  constructor(
    readonly file: string,
    readonly reader: JsonReader,
    readonly mostText: number,
  ) {}

  /** Where the reader is, for people. */
  place(): string {
    const root = this.#rootKey ?? '';
    const entry = this.#open === null ? '' : `[${this.#open.index}]`;
    const inner = this.#stack
      .map((c) => ('list' in c ? `[${c.list.length}]` : c.key === '' ? '' : `.${c.key}`))
      .join('');
    return `${root}${entry}${inner}`;
  }

  /** The place without positions in lists. */
  #kind(): string {
    const inner = this.#stack.map((c) => ('list' in c || c.key === '' ? '' : `.${c.key}`)).join('');
    return `${this.#rootKey ?? ''}${inner}`;
  }

  take(token: Token): Promise<void> | void {
    switch (token.name) {
      case 'startString':
        this.#text = new TextCollector(this.reader.limit(this.#kind()));
        return;
      case 'stringChunk':
        this.#text?.add(token.value as string);
        return;
      case 'endString': {
        const taken = this.#text?.take() ?? { text: '', bytes: 0, clipped: false };
        this.#text = null;
        this.#characters += taken.text.length;
        if (this.#characters + (this.#open === null ? this.#ofRoot : 0) > this.mostText)
          throw this.#refuse('too_large', `more than ${formatBytes(this.mostText)} of text in one`);
        if (taken.clipped) this.#clipped.push({ key: this.place(), bytes: taken.bytes });
        return this.#add(taken.text === NO_NUMBER ? Number.NaN : taken.text);
      }
      case 'keyValue':
        return this.#key(token.value as string);
      case 'numberValue': {
        const number = Number(token.value);
        return this.#add(Number.isFinite(number) ? number : Number.NaN);
      }
      case 'trueValue':
      case 'falseValue':
      case 'nullValue':
        return this.#add(token.value as boolean | null);
      case 'startObject':
        if (!this.#rootOpen) {
          this.#rootOpen = true;
          return;
        }
        return this.#begin({ object: {}, key: '' });
      case 'startArray':
        if (this.#rootKey !== null && this.#open === null && this.#stack.length === 0 && this.#isList(this.#rootKey)) {
          this.#open = { list: this.#rootKey, index: 0 };
          this.reader.opened?.(this.#rootKey);
          return;
        }
        return this.#begin({ list: [] });
      case 'endObject':
      case 'endArray':
        return this.#end();
    }
  }

  #isList(key: string): boolean {
    return this.reader.lists.includes(key);
  }

  #key(key: string): void {
    const top = this.#stack.at(-1);
    if (top === undefined) this.#rootKey = key;
    else if ('object' in top) top.key = key;
  }

  #begin(container: Container): void {
    if (!this.#rootOpen) throw this.#refuse('wrong_type', 'an object was expected');
    if (this.#stack.length >= MOST_LEVELS) throw this.#refuse('too_large', `more than ${MOST_LEVELS} levels deep`);
    this.#stack.push(container);
  }

  #end(): Promise<void> | void {
    const done = this.#stack.pop();
    if (done !== undefined) return this.#add('list' in done ? done.list : done.object);
    if (this.#open !== null) {
      this.#open = null;
      this.#rootKey = null;
      return;
    }
    this.ended = true;
  }

  #add(value: Json): Promise<void> | void {
    if (!this.#rootOpen) throw this.#refuse('wrong_type', 'an object was expected');
    this.#values += 1;
    if (this.#values > MOST_VALUES) throw this.#refuse('too_large', `more than ${MOST_VALUES} values in one`);
    const top = this.#stack.at(-1);
    if (top === undefined) return this.#deliver(value);
    if ('list' in top) top.list.push(value);
    else {
      // Not by assignment: a key may be __proto__.
      Object.defineProperty(top.object, top.key, { value, enumerable: true, configurable: true, writable: true });
      top.key = '';
    }
  }

  #deliver(value: Json): Promise<void> | void {
    const clipped = this.#clipped;
    if (this.#open === null) this.#ofRoot += this.#characters;
    this.#characters = 0;
    this.#clipped = [];
    this.#values = 0;
    if (this.#open !== null) {
      const { list, index } = this.#open;
      this.#open.index += 1;
      return this.reader.entry(list, index, value, clipped);
    }
    const key = this.#rootKey ?? '';
    this.#rootKey = null;
    return this.reader.value(key, value, clipped);
  }

  #refuse(kind: 'wrong_type' | 'too_large', message: string): UnreadableFile {
    return new UnreadableFile(this.file, this.place(), kind, message);
  }
}
