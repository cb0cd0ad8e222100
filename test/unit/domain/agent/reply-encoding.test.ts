import { describe, expect, it } from 'vitest';
import { decodeReply, encodeReply } from '../../../../domain/agent/reply-encoding.js';
import { forAll } from './generate.js';

const pieces = [
  '{"reply":1,',
  '"text":"',
  '"toolCalls":[]',
  '}',
  'bash',
  '\n',
  '"',
  '\\',
  '\u0000',
  '\ud83d',
  'é',
  '`',
  '{',
];

describe('encodeReply and decodeReply', () => {
  it('keep plain text as it is', () => {
    expect(encodeReply({ text: 'I look.\n```\nls\n```' })).toBe('I look.\n```\nls\n```');
    expect(encodeReply({ text: '', toolCalls: [] })).toBe('');
  });
  it('write tool calls as JSON with a fixed order of keys', () => {
    const toolCalls = [{ arguments: '{"command":"ls"}', name: 'bash', id: 'a' }];
    expect(encodeReply({ text: 't', toolCalls })).toBe(
      '{"reply":1,"text":"t","toolCalls":[{"id":"a","name":"bash","arguments":"{\\"command\\":\\"ls\\"}"}]}',
    );
  });
  it('give back every reply exactly', () =>
    forAll(2000, (generate) => {
      const text = generate.text(pieces, 6);
      const toolCalls = generate.list(2, () => ({
        id: generate.text(pieces, 2),
        name: generate.text(pieces, 2),
        arguments: generate.text(pieces, 4),
      }));
      const reply = toolCalls.length === 0 ? { text } : { text, toolCalls };
      expect(decodeReply(encodeReply(reply))).toEqual(reply);
    }));
  it('give back a text that looks like an encoded reply', () => {
    const text = encodeReply({ text: 't', toolCalls: [{ id: 'a', name: 'bash', arguments: '{}' }] });
    expect(decodeReply(encodeReply({ text }))).toEqual({ text });
    const twice = encodeReply({ text });
    expect(decodeReply(encodeReply({ text: twice }))).toEqual({ text: twice });
  });
  it('read any text that is no encoded reply as plain text', () =>
    forAll(500, (generate) => {
      const text = generate.text(pieces, 8);
      expect(decodeReply(text).text).toBe(text);
    }));
});
