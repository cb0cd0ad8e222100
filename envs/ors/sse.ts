/** Clients rejoin several lines of text. `id`: for resuming. */
export const eventFrame = (event: string, data: string, id?: string): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;

/** Clients give up after 30 seconds of silence. */
export const HEARTBEAT = ': still running\n\n';

/** UTF-16 units of 3 bytes at most: clients read no line of 512 KiB. */
const CHUNK_UNITS = 130_000;

/** What Python strips from the start of a line, if JSON leaves it unescaped. */
const STRIPPED = /^[\s\u0085]/;
const HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Parts of a result's JSON, which clients join. They strip leading white space, which only occurs
 * in texts, so a part that would begin with some begins with its escape.
 */
export function chunksOf(result: object, units = CHUNK_UNITS): string[] {
  const whole = JSON.stringify(result);
  const chunks: string[] = [];
  for (let from = 0; from < whole.length;) {
    const cut = whole.slice(from, from + units);
    const part = cut.length < whole.length - from && HIGH_SURROGATE.test(cut) ? cut.slice(0, -1) : cut;
    chunks.push(part.replace(STRIPPED, (space) => `\\u${space.charCodeAt(0).toString(16).padStart(4, '0')}`));
    from += part.length;
  }
  return chunks;
}
