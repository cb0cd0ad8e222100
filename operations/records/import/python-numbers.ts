/** Stands for a number that JSON lacks until the reader turns it into NaN. */
export const NO_NUMBER = '\u0000NaN';
const ESCAPED = JSON.stringify(NO_NUMBER);

const NAMES = /-?\b(?:NaN|Infinity)\b/g;

/** Replaces Python's NaN and infinities in JSON that comes in pieces, outside strings. */
export class PythonNumbers {
  #inString = false;
  #rest = '';

  push(piece: string): string {
    const text = this.#rest + piece;
    this.#rest = '';
    let out = '';
    let at = 0;
    while (at < text.length) {
      const quote = this.#inString ? endOfString(text, at) : text.indexOf('"', at);
      if (quote === -1) break;
      out += this.#part(text.slice(at, quote + 1));
      this.#inString = !this.#inString;
      at = quote + 1;
    }
    const last = text.slice(at);
    // A name or an escape may continue in the next piece.
    const held = this.#inString
      ? backslashesBefore(last, last.length) % 2
      : (/[-A-Za-z]{1,9}$/.exec(last)?.[0].length ?? 0);
    this.#rest = last.slice(last.length - held);
    return out + this.#part(last.slice(0, last.length - held));
  }

  /** The rest at the end of the text. */
  end(): string {
    return this.#part(this.#rest);
  }

  #part(text: string): string {
    if (this.#inString || !(text.includes('N') || text.includes('I'))) return text;
    return text.replace(NAMES, ESCAPED);
  }
}

function backslashesBefore(text: string, end: number, from = 0): number {
  let at = end;
  while (at > from && text.charCodeAt(at - 1) === 0x5c) at -= 1;
  return end - at;
}

/** The quote that ends the string around `from`; -1: it is not in this text. */
function endOfString(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', quote + 1))
    if (backslashesBefore(text, quote, from) % 2 === 0) return quote;
  return -1;
}
