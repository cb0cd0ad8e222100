import { describe, expect, it } from 'vitest';
import { sharedWork } from '../../../../backends/local/shared-work.js';

/** Rounds that end when they are told to. */
function rounds() {
  const begun: { end: (value: string) => void; fail: (error: Error) => void }[] = [];
  const work = sharedWork(() => new Promise<string>((end, fail) => begun.push({ end, fail })));
  return { begun, work };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('work shared by many callers', () => {
  it('is done once for all who ask before it begins', async () => {
    const { begun, work } = rounds();
    const callers = [work(), work(), work()];
    await settled();
    expect(begun).toHaveLength(1);
    begun[0]?.end('seen');
    await expect(Promise.all(callers)).resolves.toEqual(['seen', 'seen', 'seen']);
  });

  it('is done anew, once, for all who ask while it is under way', async () => {
    const { begun, work } = rounds();
    const first = work();
    await settled();
    const later = [work(), work()];
    await settled();
    expect(begun).toHaveLength(1);
    begun[0]?.end('old');
    await expect(first).resolves.toBe('old');
    await settled();
    expect(begun).toHaveLength(2);
    begun[1]?.end('new');
    await expect(Promise.all(later)).resolves.toEqual(['new', 'new']);
  });

  it('begins again after a failure, which only its own callers see', async () => {
    const { begun, work } = rounds();
    const first = work();
    const failed = expect(first).rejects.toThrow('no');
    await settled();
    const second = work();
    begun[0]?.fail(new Error('no'));
    await failed;
    await settled();
    begun[1]?.end('yes');
    await expect(second).resolves.toBe('yes');
  });
});
