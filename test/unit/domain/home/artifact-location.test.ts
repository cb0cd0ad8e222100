import { describe, expect, it } from 'vitest';
import { artifactLocation, describeLocation } from '../../../../domain/home/artifact-location.js';
import { homeLayout } from '../../../../domain/home/layout.js';

const layout = homeLayout('/home/x/.bench');
const read = (env: Record<string, string>) => artifactLocation(layout, env);

describe('where artifacts lie', () => {
  it('is the home, a folder that hosts may share, or a bucket', () => {
    expect(read({})).toEqual({ kind: 'folder', dir: layout.artifacts, shared: false });
    expect(read({ BENCH_ARTIFACTS: '' })).toEqual({ kind: 'folder', dir: layout.artifacts, shared: false });
    expect(read({ BENCH_ARTIFACTS: '/mnt/shared' })).toEqual({ kind: 'folder', dir: '/mnt/shared', shared: true });
    expect(read({ BENCH_ARTIFACTS: 's3://bucket/a/b/' })).toMatchObject({
      ...{ kind: 's3', shared: true, bucket: 'bucket', prefix: 'a/b', endpoint: undefined, pathStyle: false },
    });
  });

  it('takes path style for other services than AWS, unless told otherwise', () => {
    const env = { BENCH_ARTIFACTS: 's3://bucket', BENCH_S3_ENDPOINT: 'http://minio:9000' };
    expect(read(env)).toMatchObject({ prefix: '', endpoint: 'http://minio:9000', pathStyle: true });
    expect(read({ ...env, BENCH_S3_PATH_STYLE: '0' })).toMatchObject({ pathStyle: false });
    expect(describeLocation(read(env))).toBe('s3://bucket at http://minio:9000');
  });

  it.each([
    [{ BENCH_ARTIFACTS: 'gs://bucket' }, 'BENCH_ARTIFACTS'],
    [{ BENCH_ARTIFACTS: 's3://' }, 'BENCH_ARTIFACTS'],
    [{ BENCH_ARTIFACTS: 's3://bucket/a//b' }, 'BENCH_ARTIFACTS'],
    [{ BENCH_ARTIFACTS: 's3://bucket/../b' }, 'BENCH_ARTIFACTS'],
    [{ BENCH_ARTIFACTS: 's3://bucket', BENCH_S3_ENDPOINT: 'http://key:secret@minio' }, 'BENCH_S3_ENDPOINT'],
    [{ BENCH_ARTIFACTS: 's3://bucket', BENCH_S3_PUBLIC_ENDPOINT: 'files.example' }, 'BENCH_S3_PUBLIC_ENDPOINT'],
    [{ BENCH_ARTIFACTS: 's3://bucket', BENCH_S3_PATH_STYLE: 'yes' }, 'BENCH_S3_PATH_STYLE'],
  ])('refuses %j by the name of the variable', (env, variable) => {
    expect(() => read(env)).toThrow(variable);
    expect(() => read(env)).not.toThrow(/secret/);
  });
});
