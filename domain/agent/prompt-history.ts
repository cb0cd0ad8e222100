import type { ChatMessage } from '../model/model.js';
import type { ShownStep } from '../run/run.js';
import type { HistoryProcessor, PromptMessage } from './history/prompt-message.js';
import {
  historyProcessorFor,
  openingMessages,
  type PromptContext,
  promptContext,
  type PromptInput,
  stepMessages,
  withoutOrigin,
} from './messages.js';

/** A message's size besides its texts, characters. */
const PER_MESSAGE = 100;

const lengthOf = ({ content, reasoning = '', toolCalls = [] }: PromptMessage): number =>
  toolCalls.reduce(
    (sum, call) => sum + call.name.length + call.arguments.length,
    PER_MESSAGE + content.length + reasoning.length,
  );

/** Messages kept between prompts, without what no later prompt shows. */
export class PromptHistory {
  readonly #context: PromptContext;
  readonly #processor: HistoryProcessor;
  #opening: PromptMessage[];
  #steps: PromptMessage[][] = [];
  /** Contents of the first steps' settled observations: they outlive `shrink`. */
  #settled: string[][] = [];

  constructor(run: PromptInput, workspace: string) {
    this.#context = promptContext(run, workspace);
    this.#processor = historyProcessorFor(run);
    this.#opening = openingMessages(this.#context);
  }

  get through(): number {
    return this.#steps.length;
  }

  /** Observations up to this step need not be read. */
  get settledThrough(): number {
    return this.#settled.length;
  }

  /** Approximate characters in memory. */
  get size(): number {
    const messages = [...this.#opening, ...this.#steps.flat()].reduce((sum, message) => sum + lengthOf(message), 0);
    return this.#settled.flat().reduce((sum, content) => sum + PER_MESSAGE + content.length, messages);
  }

  /** Outcomes must be final. */
  add(steps: readonly ShownStep[]): void {
    const added = steps.map((step, i) => {
      if (step.step !== this.through + i + 1)
        throw new Error(`step ${step.step} does not come after ${this.through + i}`);
      return stepMessages(this.#context, step, this.#settled[step.step - 1]);
    });
    const all = [...this.#steps, ...added];
    const messages = this.#processor.settle([...this.#opening, ...all.flat()]);
    let at = this.#opening.length;
    this.#opening = messages.slice(0, at);
    this.#steps = all.map(({ length }) => messages.slice(at, (at += length)));
    while (this.#settled.length < this.#steps.length) {
      const observations = (this.#steps[this.#settled.length] ?? []).filter(({ origin }) => origin === 'observation');
      if (!observations.every(({ settled }) => settled === true)) break;
      this.#settled.push(observations.map(({ content }) => content));
    }
  }

  /** The prompt after its steps and `newest`, which is not kept. */
  prompt(newest: readonly ShownStep[] = []): ChatMessage[] {
    const added = newest.flatMap((step) => stepMessages(this.#context, step));
    return withoutOrigin(this.#processor.show([...this.#opening, ...this.#steps.flat(), ...added]));
  }

  /** Forgets the steps. They can be added again without observations up to `settledThrough`. */
  shrink(): void {
    this.#opening = openingMessages(this.#context);
    this.#steps = [];
  }
}
