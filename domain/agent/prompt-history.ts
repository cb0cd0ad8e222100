import type { ChatMessage } from '../model/model.js';
import { estimateTokens } from '../model/estimate-tokens.js';
import type { ShownStep } from '../run/run.js';
import type { HistoryProcessor, PromptMessage } from './history/prompt-message.js';
import {
  historyProcessorFor,
  openingMessages,
  type PromptContext,
  promptContext,
  type PromptInput,
  withoutOrigin,
  withStep,
} from './messages.js';
import { SUMMARY_REQUEST } from './step-text.js';

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
    let all = this.#steps;
    for (const step of steps) {
      if (step.step !== all.length + 1) throw new Error(`step ${step.step} does not come after ${all.length}`);
      all = withStep(this.#context, all, step, this.#settled[step.step - 1]);
    }
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
    return this.#shown(this.#with(newest));
  }

  /**
   * The prompt of which the model writes a summary, and the last step in it: all but the newest
   * steps of at most so many tokens, and of at least one. Null: there is no step to summarise.
   */
  summary(newest: readonly ShownStep[], keepTokens: number): { messages: ChatMessage[]; through: number } | null {
    const steps = this.#with(newest);
    const shown = [...steps.keys()].filter((at) => steps[at]?.some(({ origin }) => origin === 'reply'));
    let [kept, tokens] = [shown.length, 0];
    while (kept > 0) {
      tokens += estimateTokens(steps[shown[kept - 1]!] ?? []);
      if (kept < shown.length && tokens > keepTokens) break;
      kept -= 1;
    }
    // All are short, yet the prompt is too long: only the newest stays.
    if (kept === 0) kept = shown.length - 1;
    const through = shown[kept - 1];
    if (through === undefined) return null;
    const messages = this.#shown(steps.slice(0, through + 1));
    return { messages: [...messages, { role: 'user', content: SUMMARY_REQUEST }], through: through + 1 };
  }

  #with(newest: readonly ShownStep[]): PromptMessage[][] {
    return newest.reduce((steps, step) => withStep(this.#context, steps, step), this.#steps);
  }

  #shown(steps: readonly PromptMessage[][]): ChatMessage[] {
    return withoutOrigin(this.#processor.show([...this.#opening, ...steps.flat()]));
  }

  /** Forgets the steps. They can be added again without observations up to `settledThrough`. */
  shrink(): void {
    this.#opening = openingMessages(this.#context);
    this.#steps = [];
  }
}
