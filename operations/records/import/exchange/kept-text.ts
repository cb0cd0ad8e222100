import { formatBytes } from '../../../../domain/text/format.js';
import { MOST_TEXT } from '../read-json.js';
import { UnreadableFile } from '../unreadable-file.js';

/** Counts texts kept in memory together. Throws UnreadableFile beyond the limit. */
export class KeptText {
  #characters = 0;

  constructor(public file: string) {}

  add(text: string, key: string): void {
    this.#characters += text.length;
    if (this.#characters > MOST_TEXT)
      throw new UnreadableFile(
        this.file,
        key,
        'too_large',
        `more than ${formatBytes(MOST_TEXT)} of text without a step between`,
      );
  }

  begin(): void {
    this.#characters = 0;
  }
}
