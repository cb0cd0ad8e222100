import { describe, expect, it } from 'vitest';
import { gpuSetting, parseBusyGpus, parseGpus } from '../../../../domain/run/gpus.js';

describe('the GPUs of a worker', () => {
  it('are found unless they are said', () => {
    expect(gpuSetting(undefined)).toEqual({ kind: 'auto' });
    expect(gpuSetting('auto')).toEqual({ kind: 'auto' });
    expect(gpuSetting('none')).toEqual({ kind: 'declared', ids: [] });
    expect(gpuSetting('0, 1')).toEqual({ kind: 'listed', ids: ['0', '1'] });
    expect(gpuSetting('declared:0,1')).toEqual({ kind: 'declared', ids: ['0', '1'] });
  });
  it.each(['0,,1', '0,1,', '-1', '0;1', 'declared:', '0 1', '/dev/nvidia0'])('"%s" is refused', (text) => {
    expect(() => gpuSetting(text)).toThrow('is not a GPU');
  });
  it('are named once each', () => {
    expect(() => gpuSetting('0,1,0')).toThrow('GPU 0 is named twice');
  });
});

describe('what nvidia-smi prints', () => {
  const gpus = parseGpus('0, GPU-aaaa-1\n1, GPU-bbbb-2\n');
  it('lists GPUs by number and UUID', () => {
    expect(gpus).toEqual([
      { index: '0', uuid: 'GPU-aaaa-1', partitioned: false },
      { index: '1', uuid: 'GPU-bbbb-2', partitioned: false },
    ]);
    expect(parseGpus('No devices were found\n')).toEqual([]);
  });
  it('tells on which GPUs something computes, each once', () => {
    expect(parseBusyGpus('GPU-bbbb-2, 4242\nGPU-bbbb-2, 4243\n', gpus)).toEqual(['GPU-bbbb-2']);
    expect(parseBusyGpus('', gpus)).toEqual([]);
    expect(parseBusyGpus('No running processes found\n', gpus)).toEqual([]);
  });
});
