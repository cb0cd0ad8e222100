import { closeSync, openSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { lossyLines } from '../../../../domain/text/lossy-lines.js';

const missing = (lines: number) => `${lines} missing\n`;

it('lines that a full disk does not take are counted, and the first that it takes says how many they were', () => {
  let room = 6;
  let log = '';
  const print = lossyLines((bytes) => {
    if (room === 0) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const taken = bytes.subarray(0, room);
    room -= taken.length;
    log += taken.toString();
    return taken.length;
  }, missing);
  print('one\n');
  // Cut off by the end of the disk.
  print('two\n');
  print('three\n');
  room = 1000;
  print('four\n');
  print('five\n');
  expect(log).toBe('one\ntw\n2 missing\nfour\nfive\n');
});

it.runIf(process.platform === 'linux')('a device without room does not end the program', () => {
  const full = openSync('/dev/full', 'w');
  const print = lossyLines((bytes) => writeSync(full, bytes), missing);
  expect(() => print('lost\n')).not.toThrow();
  closeSync(full);
});
