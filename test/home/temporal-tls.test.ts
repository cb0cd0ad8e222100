import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchError } from '../../domain/errors.js';
import { temporalAccess } from '../../domain/home/temporal-access.js';
import { checkExternalTemporal } from '../../services/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { startTemporal, type TemporalFixture } from '../setup/temporal.js';
import { Certificates, openTemporalGateway, type TemporalGateway } from '../setup/temporal-gateway.js';

const API_KEY = 'canary-of-the-api-key';

interface Doctor {
  checks: { name: string; detail: string }[];
}

describe('a Temporal server behind TLS, with client certificates and an API key', () => {
  const trusted = new Certificates();
  const foreign = new Certificates();
  let temporal: TemporalFixture;
  let gateway: TemporalGateway;
  let home: BenchHome;
  let right: Record<string, string>;

  beforeAll(async () => {
    temporal = await startTemporal();
    gateway = await openTemporalGateway(
      temporal.address,
      { ...trusted.issue('temporal.example'), authority: trusted.authority },
      API_KEY,
    );
    const client = trusted.issue('client');
    right = {
      TEMPORAL_ADDRESS: gateway.address,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.crt,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.key,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: trusted.authority,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
      TEMPORAL_API_KEY: API_KEY,
    };
    home = new BenchHome(right);
  });
  afterAll(async () => {
    await home.remove();
    await gateway.close();
    await temporal.stop();
    for (const certificates of [trusted, foreign]) certificates.remove();
  });

  /** What a start says of the server when the variables are changed. */
  async function finding(change: Record<string, string>): Promise<string> {
    const env: Record<string, string> = { ...right, ...change };
    try {
      const access = temporalAccess(env, (path) => readFileSync(path));
      await checkExternalTemporal(env['TEMPORAL_ADDRESS'] ?? '', 'default', access);
      return 'ok';
    } catch (error) {
      if (!(error instanceof BenchError)) throw error;
      expect(`${error.message} ${error.remedy}`).not.toContain(API_KEY);
      expect(error.message).not.toContain('\n');
      return error.message;
    }
  }

  it('serves command line and worker alike: a run is played through it, and no secret is written anywhere', async () => {
    const { checks } = await home.json<Doctor>('doctor');
    const detail = checks.find(({ name }) => name === 'temporal')?.detail;
    expect(detail).toContain('(TLS, client certificate, API key)');
    const result = await home.run(
      ...['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '1'],
      ...['--backend', 'local', '--wait'],
    );
    expect(result.exitCode, result.stderr).toBe(0);
    expect(gateway.calls).toBeGreaterThan(20);
    expect(result.stdout + result.stderr).not.toContain(API_KEY);
    const found = execFileSync('sh', ['-c', 'grep -rl "$0" "$1" || true', API_KEY, home.dir], { encoding: 'utf8' });
    expect(found).toBe('');
  });

  it('is told in one line when the client’s certificate is missing or of another authority', async () => {
    const other = foreign.issue('client');
    const none = { TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' };
    expect(await finding(none)).toMatch(/client certificate/);
    const wrong = { TEMPORAL_TLS_CLIENT_CERT_PATH: other.crt, TEMPORAL_TLS_CLIENT_KEY_PATH: other.key };
    expect(await finding(wrong)).toMatch(/client certificate/);
    expect(await finding({ TEMPORAL_TLS_CLIENT_KEY_PATH: other.key })).toMatch(/does not belong/);
  });

  it('is told in one line when the server’s certificate is not to be trusted, or the API key is wrong', async () => {
    expect(await finding({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: foreign.authority })).toMatch(/authority/);
    expect(await finding({ TEMPORAL_TLS_SERVER_NAME: 'elsewhere.example' })).toMatch(/another name/);
    expect(await finding({ TEMPORAL_API_KEY: 'wrong' })).toMatch(/refuses the API key/);
    expect(await finding({ TEMPORAL_TLS: 'false' })).toMatch(/requires TLS/);
    const plain = await finding({ TEMPORAL_ADDRESS: temporal.address });
    expect(plain).toMatch(/(does not speak TLS|closed)/);
  });
});
