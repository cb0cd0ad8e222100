import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ChatMessage } from '../../../../domain/model/model.js';
import { requestHash } from '../../../../domain/model/request-hash.js';

const call = { id: 'c1', name: 'bash', arguments: '{"command":"ls"}' };
const MESSAGES: ChatMessage[] = [
  { role: 'system', content: 'In "/ws".\n' },
  { role: 'assistant', content: '', toolCalls: [call] },
  { role: 'tool', content: 'é, \ud83d\ude00', toolCallId: 'c1' },
];

// The hashes of earlier versions are in the record.
it.each([0, 1, 3])('is that of the request as JSON, of %i messages', (count) => {
  const messages = MESSAGES.slice(0, count);
  const json = JSON.stringify(['a "provider"', 'model', messages]);
  expect(requestHash({ provider: 'a "provider"', model: 'model', messages })).toBe(
    createHash('sha256').update(json).digest('hex'),
  );
});
