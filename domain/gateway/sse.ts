import type { StreamEvent } from './wire.js';

/** An event may contain a whole answer. */
const MOST = 32 * 1024 * 1024;

export class SseReader {
  private rest = '';
  private event: string | null = null;
  private data: string[] = [];

  push(text: string): StreamEvent[] {
    this.rest += text;
    if (this.rest.length > MOST) throw new Error('an event of the stream is too long');
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line));
  }

  private line(line: string): StreamEvent[] {
    if (line === '') {
      const found = this.data.length === 0 ? [] : [{ event: this.event, data: this.data.join('\n') }];
      this.event = null;
      this.data = [];
      return found;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') this.event = value;
    if (field === 'data') this.data.push(value);
    return [];
  }
}

export const sseText = ({ event, data }: StreamEvent): string =>
  `${event === null ? '' : `event: ${event}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
