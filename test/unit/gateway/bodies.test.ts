import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { Bodies, inTurn } from '../../../gateway/bodies.js';
import { readBody } from '../../../gateway/request-head.js';
import { GatewaySession, type SessionParts } from '../../../gateway/session.js';

/** A session of which only the places are used. */
const session = (more: Partial<SessionParts> = {}): GatewaySession =>
  new GatewaySession({ program: { callsInFlight: 2 }, ...more } as SessionParts);

const request = (bytes: number, headers: Record<string, string> = {}): IncomingMessage => {
  const stream = new PassThrough();
  stream.end(Buffer.alloc(bytes, 'x'));
  return Object.assign(stream, { headers }) as unknown as IncomingMessage;
};
const bounded = (most: number, bodies: Bodies) => ({
  most,
  hasRoom: (bytes: number) => bodies.hasRoom(bytes),
  take: (bytes: number) => bodies.take(bytes),
});

it('what one run holds leaves room for others, and no more than all may hold', () => {
  const all = new Bodies(100);
  const [one, other] = [new Bodies(60, all), new Bodies(60, all)];
  expect([one.take(60), one.take(1), other.take(41), other.take(40)]).toEqual([true, false, false, true]);
  one.give(60);
  expect([other.take(21), other.take(20), one.take(40)]).toEqual([false, true, true]);
});

it('requests get a place before their bodies are read, and give back what they took', () => {
  const bodies = new Bodies(100);
  const gateway = session({ bodies, perSecond: 100 });
  const places = [1, 2, 3, 4].map(() => gateway.admit());
  expect(places).not.toContain(null);
  expect(gateway.admit()).toBeNull();
  expect([places[0]!.take(90), places[1]!.take(20)]).toEqual([true, false]);
  places[0]!.leave();
  expect([gateway.admit() === null, bodies.hasRoom(100)]).toEqual([false, true]);
});

it('no more requests come in a second than are allowed', () => {
  const gateway = session({ perSecond: 2 });
  for (const expected of [false, false, true]) {
    const place = gateway.admit();
    expect(place === null).toBe(expected);
    place?.leave();
  }
});

it('a body that is too long, or has no room, is read to its end and dropped', async () => {
  const bodies = new Bodies(1000);
  expect(await readBody(request(500, { 'content-length': '500' }), bounded(400, bodies))).toBe('too_long');
  expect(await readBody(request(500), bounded(400, bodies))).toBe('too_long');
  expect(bodies.hasRoom(1000)).toBe(true);
  expect(await readBody(request(300), bounded(400, bodies))).toHaveLength(300);
  expect(await readBody(request(800, { 'content-length': '800' }), bounded(900, bodies))).toBe('no_room');
  expect(await readBody(request(800), bounded(900, bodies))).toBe('no_room');
});

it('long bodies are worked on one at a time, also after one that fails', async () => {
  const order: string[] = [];
  const work = (name: string, error?: Error) =>
    inTurn(1_000_000, async () => {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
      if (error !== undefined) throw error;
    });
  const first = work('first', new Error('odd'));
  const second = work('second');
  await inTurn(10, async () => void order.push('a short one'));
  await expect(first).rejects.toThrow('odd');
  await second;
  expect(order.filter((what) => what !== 'a short one')).toEqual([
    ...['first begins', 'first ends', 'second begins', 'second ends'],
  ]);
  expect(order.indexOf('a short one')).toBeLessThan(order.indexOf('second begins'));
});
