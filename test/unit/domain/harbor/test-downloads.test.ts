import { expect, test } from 'vitest';
import { fetchedByTests } from '../../../../domain/harbor/test-downloads.js';

const tests = (text: string, path = 'tests/test_outputs.py') => fetchedByTests([{ path, text }]);

test('names the hosts that tests fetch from', () => {
  const text = 'URL = "https://files.example.org/a.zip"\nurllib.request.urlretrieve(URL, "/tmp/a.zip")\n';
  expect(tests(text)).toEqual({ file: 'tests/test_outputs.py', hosts: ['files.example.org'] });
});

test.each([
  ['a server of their own', 'requests.get("http://localhost:8000"); requests.get("http://127.0.0.1:1/x")'],
  ['an address that is only compared', 'assert "https://example.org" in text'],
  ['no address', 'urlopen(address)'],
])('says nothing of %s', (_, text) => expect(tests(text)).toBeNull());

test('leaves test.sh out, whose tools are fetched when the image is made', () => {
  expect(tests('python -c "urlretrieve(\'https://example.org/x\')"', 'tests/test.sh')).toBeNull();
});
