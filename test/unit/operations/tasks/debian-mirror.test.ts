import { describe, expect, it } from 'vitest';
import { debianMirror } from '../../../../operations/tasks/prepare/debian-mirror.js';
import { folder } from '../../catalog/fixtures.js';

const stanza = (uris: string, more = '') => `# a comment\nTypes: deb\nURIs: ${uris}\nSuites: stable\n${more}`;

describe("the mirror of Debian's archive", () => {
  it('is what the setting names', () => {
    const env = { BENCH_DEBIAN_MIRROR: 'http://mirror.example/debian' };
    expect(debianMirror(env, folder({}))).toBe('http://mirror.example/debian');
    expect(() => debianMirror({ BENCH_DEBIAN_MIRROR: '/srv/debian' }, folder({}))).toThrow('BENCH_DEBIAN_MIRROR');
  });

  it.each<[string, Record<string, string>, string | null]>([
    [
      'a list',
      { 'sources.list': '# deb http://no/debian x\ndeb [arch=amd64] http://one/debian stable main' },
      'http://one/debian',
    ],
    ['a stanza', { 'sources.list.d/debian.sources': stanza('http://one/debian') }, 'http://one/debian'],
    [
      'an address on a line of its own',
      { 'sources.list.d/a.sources': stanza('\n http://one/debian/') },
      'http://one/debian/',
    ],
    [
      'the archive rather than the packages of others',
      {
        'sources.list.d/a.list': 'deb https://other/node x main',
        'sources.list.d/b.sources': stanza('http://one/debian'),
      },
      'http://one/debian',
    ],
    [
      'the first one, where none is called so',
      { 'sources.list': 'deb http://one/mirror stable main' },
      'http://one/mirror',
    ],
    ['nothing that is turned off', { 'sources.list.d/a.sources': stanza('http://one/debian', 'Enabled: no\n') }, null],
    ['no file that apt does not read', { 'sources.list.d/a.sources.off': stanza('http://one/debian') }, null],
    ['no folder or disc', { 'sources.list': 'deb file:/srv/debian stable main\ndeb cdrom:[x]/ stable main' }, null],
    ['nothing where there is no apt', {}, null],
  ])('is found in %s', (_, files, expected) => {
    expect(debianMirror({}, folder(files))).toBe(expected);
  });
});
