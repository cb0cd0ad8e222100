import { createHash } from 'node:crypto';

interface Block {
  cache_control?: { type?: string; ttl?: string };
}
interface Body {
  tools?: Block[];
  system?: Block[];
  messages: { role: string; content: Block[] }[];
}

export interface CacheUsage {
  input: number;
  read: number;
  written: number;
  /** Part of what is written. */
  writtenForAnHour: number;
}

const MOST_MARKS = 4;
/** Blocks before a mark at which an earlier entry is looked for. */
const LOOKBACK = 20;
/** A shorter prefix is not stored. */
const LEAST_TOKENS = 1024;
const FIVE_MINUTES_MS = 300_000;
const ONE_HOUR_MS = 3_600_000;

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** Anthropic's documented rules of its prompt cache, over bodies as they are sent. */
export class CacheRules {
  readonly #until = new Map<string, number>();

  usage(body: Body, now: number): CacheUsage {
    const blocks = [
      ...(body.tools ?? []).map((block) => ({ where: 'tools', block })),
      ...(body.system ?? []).map((block) => ({ where: 'system', block })),
      ...body.messages.flatMap(({ role, content }) => content.map((block) => ({ where: role, block }))),
    ];
    const hash = createHash('sha256');
    let tokens = 0;
    const prefixes = blocks.map(({ where, block }) => {
      const { cache_control: mark, ...rest } = block;
      const text = JSON.stringify(rest);
      hash.update(`${where}:${text}\n`);
      tokens += tokensOf(text);
      return { key: hash.copy().digest('hex'), tokens, mark };
    });
    const marks = [...prefixes.keys()].filter((at) => prefixes[at]?.mark !== undefined);
    if (marks.length > MOST_MARKS) throw new Error(`a maximum of ${MOST_MARKS} blocks may be marked`);
    let read = 0;
    for (const mark of marks)
      for (let at = mark; at > mark - LOOKBACK && at >= 0; at -= 1) {
        const { key, tokens: through } = prefixes[at]!;
        if ((this.#until.get(key) ?? 0) <= now) continue;
        read = Math.max(read, through);
        break;
      }
    let [stored, forAnHour] = [0, false];
    for (const at of marks) {
      const { key, tokens: through, mark } = prefixes[at]!;
      if (through < LEAST_TOKENS) continue;
      stored = through;
      forAnHour = mark?.ttl === '1h';
      this.#until.set(key, now + (mark?.ttl === '1h' ? ONE_HOUR_MS : FIVE_MINUTES_MS));
    }
    const written = Math.max(0, stored - read);
    return { read, written, writtenForAnHour: forAnHour ? written : 0, input: tokens - read - written };
  }
}
