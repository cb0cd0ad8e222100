import { setTimeout as sleep } from 'node:timers/promises';
import type { DecodedReply } from '../../domain/agent/reply-encoding.js';
import { encodeReplyAs } from '../../domain/agent/encode-reply-as.js';
import { expectedFormat } from '../../domain/agent/parse-reply.js';
import type { OpenTurn } from '../../domain/ports/turns.js';
import type { RunDefinition } from '../../domain/run/run.js';
import type { CliContext } from '../context.js';
import { isOutage } from '../../operations/as-bench-error.js';
import { answerTurn } from '../../operations/turns/answer-turn.js';
import { playState } from '../../operations/turns/play-state.js';
import { plural } from '../render/format.js';
import { printable } from '../terminal-text.js';
import { Dialogue } from './dialogue.js';
import type { LineReader } from './line-reader.js';
import { messagesToShow, type Shown } from './new-messages.js';
import type { RunDetail } from '../../domain/views/runs.js';

const LOOK_MS = 300;
/** How often the services are looked after: a worker that died must come back for the run to go on. */
const CHECK_MS = 10_000;

export interface PlayOptions {
  thoughts: boolean;
  raw: boolean;
  /** The person has played this run before: the prompt is not all new. */
  returning: boolean;
}

/** How a sitting ended: the run is over, or the person left or gave up. */
export type Sitting = { kind: 'ended'; run: RunDetail } | { kind: 'left' } | { kind: 'quit' };

const HELP = `Type one command per line; bench formats it for the agent's parser.
  several lines     a here-document, a backslash at the end of a line, or
                    start_multiline_command … end_multiline_command
  validate          scores your work; submit scores it and ends the run
  :raw              send the lines up to :send exactly as you type them
  :cancel           discard what you typed of this reply
  :history          show everything that a model would see now
  :quit             give up: the run is cancelled and not scored
  Ctrl-D, Ctrl-C    leave; the run waits, and \`bench human <run>\` continues it`;

/** One person, one run, one terminal: shows each question, sends each reply, until the run ends or the person leaves. */
export class Play {
  #shown: Shown;
  readonly #say: (text: string) => void;

  constructor(
    private readonly context: CliContext,
    private readonly run: RunDefinition,
    private readonly reader: LineReader,
    private readonly left: AbortSignal,
    private readonly options: PlayOptions,
  ) {
    const { output } = context;
    this.#say = output.jsonMode ? (text) => output.log(text) : (text) => output.print(text);
    this.#shown = options.returning ? 'returning' : 'all';
  }

  async untilLeft(): Promise<Sitting> {
    this.#say(this.context.output.colors.dim('Type a command per line; :help says more, Ctrl-D leaves.'));
    let nextCheck = Date.now() + CHECK_MS;
    while (!this.left.aborted) {
      const seen = await this.#persistently(async () => {
        if (Date.now() >= nextCheck) {
          nextCheck = Date.now() + CHECK_MS;
          await this.context.refreshServices();
        }
        return playState(this.context, this.run.runId);
      });
      if (seen === null) break;
      if ('turn' in seen) {
        const gone = await this.#answer(seen.turn);
        if (gone !== null) return { kind: gone };
      } else if (seen.run.status === 'ended') return { kind: 'ended', run: seen.run };
      else await this.#pause();
    }
    return { kind: 'left' };
  }

  async #answer(turn: OpenTurn): Promise<'left' | 'quit' | null> {
    this.#show(turn, this.#shown);
    this.#shown = 'new';
    const { agent } = this.run;
    const dialogue = new Dialogue({ ...this.options, commands: agent.tools.commands });
    for (;;) {
      const line = await this.reader.read(dialogue.prompt);
      if (line.kind === 'left') return 'left';
      const heard = dialogue.hear(line.text);
      if (heard.kind === 'more') continue;
      if (heard.kind === 'quit') return 'quit';
      if (heard.kind === 'help') this.#say(HELP);
      else if (heard.kind === 'history') this.#show(turn, 'all');
      else {
        const reply: DecodedReply | null =
          heard.kind === 'raw'
            ? { text: heard.text }
            : encodeReplyAs(agent.outputParser, heard.said, { commands: agent.tools.commands });
        if (reply === null) this.#refuse();
        else return this.#send(turn, reply);
      }
    }
  }

  #refuse(): void {
    const { outputParser } = this.run.agent;
    const { yellow } = this.context.output.colors;
    this.#say(
      yellow(
        `The agent's output parser (${outputParser}) cannot represent this command. ${expectedFormat(outputParser)} Change the command.`,
      ),
    );
  }

  async #send(turn: OpenTurn, reply: DecodedReply): Promise<'left' | null> {
    const counted = await this.#persistently(async () => {
      return answerTurn(this.context, turn, reply);
    });
    if (counted === null) return 'left';
    if (!counted.counts)
      this.#say(this.context.output.colors.yellow('Another terminal answered first: its reply counts.'));
    return null;
  }

  #show(turn: OpenTurn, shown: Shown): void {
    const { colors } = this.context.output;
    const { messages, omitted } = messagesToShow(turn.messages, shown);
    const requery = turn.try === 0 ? '' : `, reply ${turn.try + 1}`;
    this.#say(colors.bold(`── step ${turn.step}${requery} ──`));
    if (omitted > 0) this.#say(colors.dim(`(${plural(omitted, 'earlier message')} omitted; :history shows all)`));
    for (const { role, content, toolCalls = [] } of messages) {
      const calls = toolCalls.map((call) => `${call.name} ${call.arguments}`).join('\n');
      const text = printable([content, calls].filter((part) => part !== '').join('\n')).trimEnd();
      this.#say(role === 'assistant' ? colors.cyan(text) : role === 'system' ? colors.dim(text) : text);
    }
  }

  /** Do it, over outages of the services; null: the person left meanwhile. */
  async #persistently<Value>(work: () => Promise<Value>): Promise<Value | null> {
    const { output } = this.context;
    for (let reported = false; !this.left.aborted; reported = true) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error)) throw error;
        if (!reported) output.log(output.logColors.yellow('The services do not answer; trying to restart them.'));
        await this.context.reconnect();
        await this.#pause();
      }
    }
    return null;
  }

  #pause = (): Promise<void> => sleep(LOOK_MS, undefined, { signal: this.left }).catch(() => undefined);
}
