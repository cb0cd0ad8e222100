import type { WriteExchanged } from '../../../../domain/ports/imports.js';
import type { ExtraCall } from '../../../../domain/exchange/bench-extra.js';
import type { Json } from '../read-json.js';
import type { Remarks } from '../remarks.js';
import { UnreadableFile } from '../unreadable-file.js';
import { tellLosses } from './atif-losses.js';
import { AtifTotals } from './atif-totals.js';
import { amountOf, countOf, type Fields, fieldsOf, listOf, readTime, textOf } from './json-values.js';
import { KeptText } from './kept-text.js';
import { stepExtraOf, stepRow, type SourceStep } from './source-step.js';

/** The steps of a run in one or several trajectories, as they are stored. */
export class AtifSteps {
  count = 0;
  /** Per file: steps, and how many of them were copied from an earlier one. */
  entries = 0;
  copied = 0;
  file = '';
  readonly prompt: { role: string; content: string }[] = [];
  readonly totals = new AtifTotals();
  readonly #kept = { prompt: new KeptText(''), held: new KeptText('') };
  #held: { recorded: SourceStep; extra: ReturnType<typeof stepExtraOf> } | null = null;
  #first: string | null = null;
  #last: string | null = null;

  constructor(
    readonly remarks: Remarks,
    readonly write: WriteExchanged,
  ) {}

  begin(file: string): void {
    this.file = file;
    this.entries = 0;
    this.copied = 0;
    for (const kept of Object.values(this.#kept)) kept.file = file;
  }

  get times(): { first: string | null; last: string | null } {
    return { first: this.#first, last: this.#last };
  }

  async add(index: number, step: Fields): Promise<void> {
    const { file, remarks } = this;
    const at = `steps[${index}]`;
    this.entries += 1;
    if (step['step_id'] !== index + 1)
      remarks.odd(file, `${at}.step_id`, 'step_order', `${index + 1} was expected; taken in the file's order`);
    const source = textOf(step['source']);
    if (source !== 'system' && source !== 'user' && source !== 'agent')
      throw new UnreadableFile(
        file,
        `${at}.source`,
        'unknown_kind',
        `${JSON.stringify(source)} is not system, user or agent`,
      );
    const own = fieldsOf(fieldsOf(step['extra'])['bench']);
    // Steps of another run or the previous file; bench writes forks so, with their details.
    if (step['is_copied_context'] === true && Object.keys(own).length === 0) {
      this.copied += 1;
      remarks.counted(
        file,
        at,
        'copied_context',
        'a step copied from another trajectory is not a step of the run: omitted',
      );
      return;
    }
    tellLosses(step, at, Object.keys(own).length > 0, file, remarks);
    const message = this.#content(step['message'], `${at}.message`);
    const time = this.#time(step['timestamp'], `${at}.timestamp`);
    if (source !== 'agent' && step['observation'] != null)
      remarks.counted(file, `${at}.observation`, 'left_out', "only the agent's are kept", 'observation');
    const asked = textOf(own['prompt']);
    if (asked === 'none') return;
    if (asked !== null || (source !== 'agent' && this.count === 0 && this.#held === null)) {
      this.#kept.prompt.add(message, at);
      this.prompt.push({ role: asked ?? source, content: message });
      return;
    }
    if (source !== 'agent') {
      remarks.odd(
        file,
        at,
        'message_in_observation',
        `a message of the ${source} between steps: added to the observation before it`,
      );
      this.#kept.held.add(message, at);
      if (this.#held !== null)
        this.#held.recorded.observation = [this.#held.recorded.observation, message]
          .filter((text) => text !== null)
          .join('\n');
      return;
    }
    await this.#flush();
    this.#kept.held.begin();
    this.#held = {
      recorded: {
        ...{ text: message, reasoning: textOf(step['reasoning_content']), at: time },
        ...this.#calls(step, at),
        observation: this.#observation(step, at, own),
        usage: this.#usage(step, at),
      },
      extra: stepExtraOf(fieldsOf(step['extra'])['bench'], file, `${at}.extra.bench`, remarks),
    };
  }

  async end(): Promise<void> {
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#held === null) return;
    this.count += 1;
    await this.write(stepRow(this.count, this.#held.recorded, this.#held.extra));
    this.#held = null;
  }

  #time(value: Json | undefined, key: string): string | null {
    const read = readTime(value);
    if (read === null) {
      if (value != null) this.remarks.counted(this.file, key, 'wrong_type', 'not a time in ISO 8601: omitted', 'time');
      return null;
    }
    const { at, zoned } = read;
    if (!zoned) this.remarks.counted(this.file, key, 'no_zone', 'a time without a zone: read as UTC');
    if (this.#last !== null && at < this.#last)
      this.remarks.counted(
        this.file,
        key,
        'time_order',
        'earlier than a step before it; the order of the file is kept',
      );
    if (this.#first === null || at < this.#first) this.#first = at;
    if (this.#last === null || at > this.#last) this.#last = at;
    return at;
  }

  #content(value: Json | undefined, key: string): string {
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) {
      this.remarks.odd(
        this.file,
        key,
        value == null ? 'missing_key' : 'wrong_type',
        'a text was expected; taken as empty',
      );
      return '';
    }
    return value
      .map((part) => {
        const fields = fieldsOf(part);
        if (fields['type'] === 'text') return textOf(fields['text']) ?? '';
        this.remarks.odd(
          this.file,
          key,
          'part_left_out',
          `a part of the type ${JSON.stringify(fields['type'] ?? null)} is omitted`,
        );
        return '';
      })
      .join('\n');
  }

  #calls(step: Fields, at: string): Pick<SourceStep, 'calls' | 'synthetic'> {
    const seen = new Set<string>();
    let synthetic = false;
    const calls = listOf(step['tool_calls']).map((value, index) => {
      const call = fieldsOf(value);
      const extra = fieldsOf(call['extra']);
      if (extra['synthetic'] === true) synthetic = true;
      const id = textOf(call['tool_call_id']) ?? '';
      if (seen.has(id))
        this.remarks.odd(
          this.file,
          `${at}.tool_calls[${index}].tool_call_id`,
          'doubled_id',
          'another call of the step has it',
        );
      seen.add(id);
      return {
        ...{ id, name: textOf(call['function_name']) ?? '', arguments: call['arguments'] ?? {} },
        ...{ argumentsText: textOf(extra['arguments_text']), sentId: textOf(extra['sent_id']) },
      };
    });
    return { calls, synthetic };
  }

  #observation(step: Fields, at: string, own: Fields): string | null {
    const results = listOf(fieldsOf(step['observation'])['results']);
    if (results.length === 0) return null;
    // In bench's own steps the other calls did not run.
    const read = own['step'] === undefined ? results : results.slice(0, 1);
    return read
      .map((value, index) => {
        const { content } = fieldsOf(value);
        return content == null ? '' : this.#content(content, `${at}.observation.results[${index}].content`);
      })
      .join('\n');
  }

  #usage(step: Fields, at: string): ExtraCall | null {
    if (step['metrics'] == null) return null;
    const metrics = fieldsOf(step['metrics']);
    const count = (key: string): number | undefined => {
      const value = metrics[key];
      const number = countOf(value);
      if (number === null && value != null)
        this.remarks.odd(
          this.file,
          `${at}.metrics.${key}`,
          'not_a_number',
          'a whole number from 0 was expected; omitted',
        );
      return number ?? undefined;
    };
    const [input, output, cached] = [count('prompt_tokens'), count('completion_tokens'), count('cached_tokens')];
    const cost = amountOf(metrics['cost_usd']);
    if (cost === null && metrics['cost_usd'] != null)
      this.remarks.odd(this.file, `${at}.metrics.cost_usd`, 'not_a_number', 'an amount was expected; omitted');
    this.totals.add({
      ...{ input: input ?? null, output: output ?? null, cached: cached ?? null },
      cost: cost === null ? null : Number(cost),
    });
    return {
      ...{ try: 1, attempt: 1, status: 'confirmed' },
      ...(input !== undefined && { input_tokens: input }),
      ...(output !== undefined && { output_tokens: output }),
      ...(cached !== undefined && { cached_tokens: cached }),
      ...(cost !== null && { cost_usd: cost }),
    };
  }
}
