import type { Remarks } from '../remarks.js';
import { amountOf, countOf, type Fields, numberOf } from './json-values.js';

/** Null: unknown. */
export interface Spent {
  input: number | null;
  output: number | null;
  cached: number | null;
  cost: number | null;
}

const none = (): Spent => ({ input: null, output: null, cached: null, cost: null });
const add = (a: number | null, b: number | null): number | null => (b === null ? a : (a ?? 0) + b);
const TOKENS = [
  ['input', 'total_prompt_tokens'],
  ['output', 'total_completion_tokens'],
  ['cached', 'total_cached_tokens'],
] as const;

/** Tokens and cost of a run: a trajectory's own totals, else the sum of its steps. */
export class AtifTotals {
  readonly run = none();
  #steps = none();

  add(spent: Spent): void {
    for (const key of ['input', 'output', 'cached', 'cost'] as const)
      this.#steps[key] = add(this.#steps[key], spent[key]);
  }

  /** Ends a trajectory. Totals accumulate over its files, so the last ones are the whole's. */
  close(final: Fields, file: string, files: number, remarks: Remarks): void {
    for (const [key, name] of TOKENS) {
      const sum = this.#steps[key];
      const said = countOf(final[name]);
      const short = files > 1 && said !== null && said < (sum ?? 0);
      if (said === null && final[name] != null)
        remarks.odd(
          file,
          `final_metrics.${name}`,
          'not_a_number',
          'a whole number from 0 was expected; the sum of the steps is taken',
        );
      else if (said !== null && (sum ?? 0) > 0 && said !== sum)
        remarks.odd(
          file,
          `final_metrics.${name}`,
          'totals_differ',
          `${said}, while the steps' sum is ${sum}: the ${short ? 'sum' : 'total'} counts`,
        );
      this.run[key] = add(this.run[key], short ? sum : (said ?? sum));
    }
    const stated = final['total_cost_usd'];
    const cost = amountOf(stated) === null ? null : numberOf(stated);
    if (cost === null && stated != null)
      remarks.odd(
        file,
        'final_metrics.total_cost_usd',
        'not_a_number',
        `an amount was expected; ${this.#steps.cost === null ? 'the cost is unknown' : 'the sum of the steps is taken'}`,
      );
    const short = files > 1 && cost !== null && cost < (this.#steps.cost ?? 0);
    this.run.cost = add(this.run.cost, short ? this.#steps.cost : (cost ?? this.#steps.cost));
    this.#steps = none();
  }
}
