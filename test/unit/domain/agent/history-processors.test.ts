import { describe, expect, it } from 'vitest';
import { historyProcessorOf } from '../../../../domain/agent/history/process-history.js';
import {
  countLines,
  type HistoryProcessor,
  type PromptMessage,
} from '../../../../domain/agent/history/prompt-message.js';
import { estimateTokens } from '../../../../domain/model/estimate-tokens.js';
import { forAll, type Generator } from './generate.js';

const view = (file: string, from: number, lines: number): string =>
  [
    `[File: ${file} (${from + lines + 5} lines total)]`,
    ...(from > 1 ? [`(${from - 1} more lines above)`] : []),
    ...Array.from({ length: lines }, (_, index) => `${from + index}:x = ${index}`),
    '(5 more lines below)',
  ].join('\n');

/** A history as a run has it: with or without demonstrations, as texts or as tool calls. */
function history(generate: Generator): PromptMessage[] {
  const tools = generate.int(2) === 0;
  const output = () =>
    generate
      .list(4, () =>
        generate.pick([
          () => view(generate.pick(['/a.py', '/b.py', '/with space.py']), 1 + generate.int(9), 1 + generate.int(9)),
          () => `${generate.int(99)}: a line like those of grep`,
          () => 'text '.repeat(generate.int(900)),
          () => 'one\ntwo\r\nthree\n',
          () => '',
        ])(),
      )
      .join('\n');
  const messages: PromptMessage[] = [{ role: 'system', content: view('/a.py', 1, 3), origin: 'system' }];
  messages.push(
    ...generate.list(2, (): PromptMessage => ({ role: 'user', content: view('/a.py', 1, 3), origin: 'demonstration' })),
    { role: 'user', content: output(), origin: 'task' },
  );
  const steps = generate.int(12);
  for (let step = 1; step <= steps; step += 1) {
    const content = `thought ${'on and on '.repeat(generate.int(200))}`;
    if (tools) {
      const call = {
        id: `c${step}`,
        name: 'bash',
        arguments: JSON.stringify({ command: 'echo '.repeat(generate.int(400)) }),
      };
      messages.push(
        { role: 'assistant', content, toolCalls: [call], origin: 'reply' },
        { role: 'tool', content: output(), toolCallId: call.id, origin: 'observation' },
      );
    } else {
      messages.push(
        { role: 'assistant', content, origin: 'reply' },
        { role: 'user', content: output(), origin: 'observation' },
      );
    }
  }
  return messages;
}

const frame = ({ role, origin, toolCallId, toolCalls }: PromptMessage) => ({
  role,
  origin,
  toolCallId,
  calls: toolCalls?.map(({ id, name }) => [id, name]),
});
const observations = (messages: PromptMessage[]) => messages.filter(({ origin }) => origin === 'observation');
const untouched = (messages: PromptMessage[]) =>
  messages.filter(({ origin }) => origin === 'system' || origin === 'demonstration');

const processors: [string, HistoryProcessor][] = [
  ['default', historyProcessorOf('default', {})],
  ['last-n-observations', historyProcessorOf('last-n-observations', { n: 3 })],
  ['last-2-observations', historyProcessorOf('last-2-observations', {})],
  ['closed-window', historyProcessorOf('closed-window', {})],
  ['token-budget', historyProcessorOf('token-budget', { tokens: 2000 })],
];

describe('every history processor', () => {
  it.each(processors)('%s drops no message, and changes neither order, roles nor calls', (_, processor) =>
    forAll(60, (generate) => {
      const messages = history(generate);
      const before = structuredClone(messages);
      const after = processor.show(messages);
      expect(messages).toEqual(before);
      expect(after.map(frame)).toEqual(before.map(frame));
      expect(untouched(after)).toEqual(untouched(before));
      for (const call of after.flatMap(({ toolCalls }) => toolCalls ?? [])) JSON.parse(call.arguments);
    }),
  );
});

describe('messages that are kept from step to step without what no later prompt shows', () => {
  /** Prompts grow by whole steps: the places in the messages where one may end. */
  const ends = (messages: PromptMessage[]): number[] =>
    messages.flatMap(({ origin }, at) => (origin === 'task' || origin === 'observation' ? [at + 1] : []));
  const sent = (messages: PromptMessage[]) => messages.map(({ settled: _, ...message }) => message);

  it.each(processors)('%s shows as it shows whole ones', (_, processor) =>
    forAll(120, (generate) => {
      const messages = history(generate);
      let kept: PromptMessage[] = [];
      let at = 0;
      for (const end of ends(messages)) {
        const added = messages.slice(at, end);
        expect(sent(processor.show([...kept, ...added]))).toEqual(sent(processor.show(messages.slice(0, end))));
        // Several steps may come at once.
        if (generate.int(3) === 0) continue;
        kept = processor.settle([...kept, ...added]);
        at = end;
      }
    }),
  );

  it.each([
    ['last-n-observations', { n: 3 }],
    ['token-budget', { tokens: 20_000 }],
  ] as const)('%s keeps the text of a few observations', (name, args) => {
    const processor = historyProcessorOf(name, args);
    let kept: PromptMessage[] = [{ role: 'user', content: 't', origin: 'task' }];
    for (let step = 1; step <= 100; step += 1)
      kept = processor.settle([
        ...kept,
        { role: 'assistant', content: 'r', origin: 'reply' },
        { role: 'user', content: 'word '.repeat(5_000), origin: 'observation' },
      ]);
    expect(kept).toHaveLength(201);
    expect(kept.filter(({ content }) => content.length > 1_000).length).toBeLessThanOrEqual(3);
  });
});

describe('default', () => {
  it('changes nothing', () =>
    forAll(50, (generate) => {
      const messages = history(generate);
      expect(historyProcessorOf('default', {}).show(messages)).toEqual(messages);
    }));
});

describe('last-n-observations', () => {
  it('keeps the task and the last n, and leaves a count of lines of every other one', () =>
    forAll(120, (generate) => {
      const n = 1 + generate.int(6);
      const messages = history(generate);
      const after = historyProcessorOf('last-n-observations', { n }).show(messages);
      const before = observations(messages);
      const kept = before.length - n;
      expect(after.filter(({ origin }) => origin === 'reply')).toEqual(
        messages.filter(({ origin }) => origin === 'reply'),
      );
      expect(after.find(({ origin }) => origin === 'task')).toEqual(messages.find(({ origin }) => origin === 'task'));
      for (const [index, { content }] of observations(after).entries()) {
        const original = before[index]!.content;
        if (index >= kept) expect(content).toBe(original);
        else {
          const lines = countLines(original);
          expect(content).toBe(`[older output left out: ${lines} ${lines === 1 ? 'line' : 'lines'}]`);
        }
      }
    }));
  it.each([2, 5, 100] as const)('has its short form for %i', (n) =>
    forAll(50, (generate) => {
      const messages = history(generate);
      expect(historyProcessorOf(`last-${n}-observations`, {}).show(messages)).toEqual(
        historyProcessorOf('last-n-observations', { n }).show(messages),
      );
    }),
  );
  it.each([undefined, 0, -1])('refuses n = %s', (n) =>
    expect(() => historyProcessorOf('last-n-observations', { n })).toThrow(/above 0/),
  );
});

describe('closed-window', () => {
  const process = (messages: PromptMessage[]) => historyProcessorOf('closed-window', {}).show(messages);
  const said = (content: string): PromptMessage => ({ role: 'user', content, origin: 'observation' });
  it('closes the older view of a file and keeps the newest, each file by itself', () => {
    const after = process([
      said(`before\n${view('/a.py', 4, 3)}\nafter`),
      said(view('/b.py', 1, 2)),
      said(view('/a.py', 1, 2)),
    ]);
    expect(after[0]?.content).toBe(
      'before\n[File: /a.py (12 lines total)]\n(3 more lines above)\n[older view of this file left out: 3 lines]\n(5 more lines below)\nafter',
    );
    expect(after[1]?.content).toBe(view('/b.py', 1, 2));
    expect(after[2]?.content).toBe(view('/a.py', 1, 2));
  });
  it('keeps both views of a file that one message shows', () => {
    const both = `${view('/a.py', 1, 2)}\n${view('/a.py', 7, 2)}`;
    expect(process([said(both)])[0]?.content).toBe(both);
    expect(process([said(both), said(view('/a.py', 1, 1))])[0]?.content.match(/left out: 2 lines/g)).toHaveLength(2);
  });
  it('keeps numbered lines that belong to no file', () => {
    const grep = '12: found\n15: found';
    expect(process([said(grep), said(view('/a.py', 1, 2)), said(grep)]).map(({ content }) => content)).toEqual([
      grep,
      view('/a.py', 1, 2),
      grep,
    ]);
  });
  it('leaves exactly one message with lines of each file', () =>
    forAll(60, (generate) => {
      const withLines = (messages: PromptMessage[], file: string) =>
        messages.filter(
          ({ origin, content }) =>
            (origin === 'task' || origin === 'observation') &&
            new RegExp(`\\[File: ${file} \\(.*\\n(\\(\\d+ more lines above\\)\\n)?\\d+:`).test(content),
        );
      const messages = history(generate);
      const after = process(messages);
      for (const file of ['/a.py', '/b.py', '/with space.py']) {
        expect(withLines(after, file)).toEqual(
          withLines(messages, file)
            .slice(-1)
            .map((message) => {
              const index = messages.indexOf(message);
              return after[index];
            }),
        );
      }
    }));
});

describe('token-budget', () => {
  it('keeps within the budget whenever what it may not touch does, and changes nothing that fits', () =>
    forAll(120, (generate) => {
      const tokens = 500 + generate.int(8000);
      const messages = history(generate);
      const after = historyProcessorOf('token-budget', { tokens }).show(messages);
      if (estimateTokens(messages) <= tokens) expect(after).toEqual(messages);
      const fixed = after.filter(({ origin }) => origin !== 'observation' && origin !== 'reply');
      const steps = observations(after).length;
      // The least of every reply and observation: 400 characters each, and the notes.
      if (estimateTokens(fixed) + steps * 400 <= tokens) expect(estimateTokens(after)).toBeLessThanOrEqual(tokens);
    }));
  it('gives up the oldest observations first, and replies only after them', () => {
    const messages: PromptMessage[] = [
      { role: 'system', content: 's', origin: 'system' },
      { role: 'user', content: 't', origin: 'task' },
      ...[1, 2, 3].flatMap((step): PromptMessage[] => [
        { role: 'assistant', content: `reply ${step} ${'word '.repeat(300)}`, origin: 'reply' },
        { role: 'user', content: `output ${step} ${'word '.repeat(300)}`, origin: 'observation' },
      ]),
    ];
    const total = estimateTokens(messages);
    const shortened = (tokens: number) =>
      historyProcessorOf('token-budget', { tokens })
        .show(messages)
        .flatMap((message, index) => (message.content === messages[index]?.content ? [] : [index]));
    expect(shortened(total)).toEqual([]);
    expect(shortened(total - 1)).toEqual([3]);
    expect(shortened(total - 700)).toEqual([3, 5]);
    expect(shortened(total - 1400)).toEqual([2, 3, 5]);
  });
});
