import { expect, it } from 'vitest';
import { pauseReason } from '../../../worker/host-beat.js';

const roomy = { memoryMb: 8000, memoryFreeMb: 4000, diskTotalMb: 100_000, diskFreeMb: 5000 };

it('a host with room takes runs; one with a full disk or memory says why not', () => {
  expect(pauseReason(roomy, 1024)).toBeNull();
  expect(pauseReason({ ...roomy, diskFreeMb: 1023 }, 1024)).toBe(
    'its disk is full: 1023 MB are free, less than 1024 MB',
  );
  expect(pauseReason({ ...roomy, memoryFreeMb: 399 }, 1024)).toBe('its memory is full: 399 of 8000 MB are free');
});
