import { createInterface, type Interface } from 'node:readline';

/** A line; or there will be no more: the input ended, or Ctrl-C was pressed. */
export type Line = { kind: 'line'; text: string } | { kind: 'left' };

/** Lines from a terminal, with editing and history, or from a pipe, whose lines wait until they are asked for. */
export class LineReader {
  readonly #lines: string[] = [];
  readonly #readline: Interface;
  #ended = false;
  #wake: () => void = () => undefined;
  readonly interactive: boolean;

  constructor(
    input: NodeJS.ReadStream,
    terminal: NodeJS.WriteStream,
    private readonly left: AbortController,
  ) {
    this.interactive = input.isTTY && terminal.isTTY;
    this.#readline = createInterface(this.interactive ? { input, output: terminal, terminal: true } : { input });
    this.#readline.on('line', (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    this.#readline.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
    this.#readline.on('SIGINT', () => left.abort());
    left.signal.addEventListener('abort', () => this.#wake(), { once: true });
  }

  /** The next line; the prompt is shown on terminals only. */
  async read(prompt: string): Promise<Line> {
    if (this.interactive && !this.#ended) {
      this.#readline.setPrompt(prompt);
      if (this.#lines.length === 0) this.#readline.prompt();
    }
    for (;;) {
      if (this.left.signal.aborted) return { kind: 'left' };
      const text = this.#lines.shift();
      if (text !== undefined) return { kind: 'line', text };
      if (this.#ended) return { kind: 'left' };
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  close(): void {
    this.#readline.close();
  }
}
