import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../domain/statistics/quantile.js';
import type { Play, ProviderFigures } from './counting-provider.js';

interface Tool {
  name?: string;
  input_schema?: Schema;
  function?: { name: string; parameters: Schema };
}
interface Schema {
  required?: string[];
  properties?: object;
}
interface Question {
  messages: { role: string }[];
  tools?: Tool[];
  stream?: boolean;
}

let play: Play = { steps: 1, latencyMs: 0, outputBytes: 0 };
let seen = fresh();

function fresh() {
  return {
    questions: 0,
    proved: 0,
    bytes: 0,
    last: 0,
    overheads: [] as number[],
    answered: new Map<string, number>(),
  };
}

/** The same for each client, so that both print and prove the same. */
const commandOf = (run: string): string =>
  `: run-${run}; echo x >> counter.txt; echo count=$(wc -l < counter.txt)` +
  (play.outputBytes === 0 ? '' : `; head -c ${play.outputBytes} /dev/zero | tr '\\0' x`);

function nextCommand({ messages }: Question, at: number): { run: string; command: string | null } {
  const replies = messages.filter(({ role }) => role === 'assistant');
  const known = /run-([0-9a-f]{12})/.exec(JSON.stringify(replies[0] ?? ''))?.[1];
  const run = known ?? randomBytes(6).toString('hex');
  const step = replies.length + 1;
  const answered = seen.answered.get(run);
  if (answered !== undefined) seen.overheads.push(at - answered);
  // Only the newest messages: an earlier output must not prove a later command.
  if (step > 1 && new RegExp(`count=${step - 1}\\b`).test(JSON.stringify(messages.slice(-2)))) seen.proved++;
  return { run, command: step > play.steps ? null : commandOf(run) };
}

function toolCall({ tools }: Question, command: string): { name: string; input: Record<string, string> } | null {
  const tool = tools?.[0];
  if (tool === undefined) return null;
  const { name, schema } =
    tool.function === undefined
      ? { name: tool.name ?? '', schema: tool.input_schema }
      : { name: tool.function.name, schema: tool.function.parameters };
  const key = schema?.required?.[0] ?? Object.keys(schema?.properties ?? {})[0] ?? 'command';
  return { name, input: { [key]: command } };
}

function openAiAnswer(question: Question, command: string | null, tokens: number): object {
  const call = command === null ? null : toolCall(question, command);
  const fenced = `Next.\n\`\`\`\n${command ?? 'submit'}\n\`\`\``;
  const message =
    question.tools === undefined
      ? { role: 'assistant', content: fenced }
      : {
          role: 'assistant',
          content: 'Next.',
          ...(call !== null && {
            tool_calls: [
              {
                id: `call_${randomBytes(6).toString('hex')}`,
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(call.input) },
              },
            ],
          }),
        };
  return {
    ...{ id: 'c', object: 'chat.completion', created: 0, model: 'counting' },
    choices: [{ index: 0, finish_reason: call !== null ? 'tool_calls' : 'stop', message }],
    usage: { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 },
  };
}

function anthropicAnswer(question: Question, command: string | null, tokens: number): object {
  const call = command === null ? null : toolCall(question, command);
  const text = question.tools === undefined ? `Next.\n\`\`\`\n${command ?? 'submit'}\n\`\`\`` : 'Next.';
  return {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'counting', stop_sequence: null },
    stop_reason: call !== null ? 'tool_use' : 'end_turn',
    content: [
      { type: 'text', text },
      ...(call === null ? [] : [{ type: 'tool_use', id: `toolu_${randomBytes(6).toString('hex')}`, ...call }]),
    ],
    usage: { input_tokens: tokens, output_tokens: 20 },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const shown = (value: number): number | null => (Number.isNaN(value) ? null : Math.round(value * 10) / 10);

function figures(): ProviderFigures {
  return {
    ...{ runs: seen.answered.size, questions: seen.questions, proved: seen.proved },
    promptKb: { mean: seen.bytes / 1024 / Math.max(1, seen.questions), last: seen.last / 1024 },
    overheadMs: { p50: shown(quantile(seen.overheads, 0.5)), p95: shown(quantile(seen.overheads, 0.95)) },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  const body = await bodyOf(request);
  if (request.url === '/figures') return send(200, figures());
  if (request.url === '/begin') {
    [play, seen] = [JSON.parse(body) as Play, fresh()];
    return send(200, {});
  }
  const at = performance.now();
  const question = JSON.parse(body) as Question;
  if (question.stream === true) return send(400, { error: { message: 'this provider does not stream' } });
  seen.questions++;
  seen.bytes += body.length;
  seen.last = body.length;
  const { run, command } = nextCommand(question, at);
  if (play.latencyMs > 0) await sleep(play.latencyMs);
  const tokens = Math.ceil(body.length / 4);
  const wire = request.url?.endsWith('/messages') === true ? anthropicAnswer : openAiAnswer;
  response.once('finish', () => seen.answered.set(run, performance.now()));
  send(200, wire(question, command, tokens));
}

const server = createServer((request, response) => void answer(request, response));
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
);
