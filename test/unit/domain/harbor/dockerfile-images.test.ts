import { expect, test } from 'vitest';
import { dockerfileRefusals, withoutSyntax } from '../../../../domain/harbor/dockerfile-images.js';

const refusals = (text: string, allowed: (image: string) => boolean = () => false): string[] =>
  dockerfileRefusals(text, allowed).map(({ key }) => key);

test.each([
  ['a stage by its name', 'FROM python:3.12 AS Made\nFROM debian:12\nCOPY --from=made /x /x\n'],
  ['a stage by its number', 'FROM python:3.12\nFROM debian:12\nCOPY --chown=1:1 --from=0 /x /x\n'],
  ['the base', 'FROM debian:12\nRUN --mount=type=bind,from=debian:12,target=/x true\n'],
  [
    'a base that a variable names',
    'ARG TAG=12\nFROM debian:${TAG}-slim\nFROM scratch\nCOPY --from=debian:12-slim /x /\n',
  ],
  [
    'files of the task',
    '# syntax=docker/dockerfile:1.7\n# escape=\\\nFROM debian:12\nADD . /app\nCOPY a \\\n  b /app/\n',
  ],
  ['a cache', 'FROM debian:12\nRUN --mount=type=cache,target=/root/.cache curl https://example.com --from=x\n'],
  ['programs that look like instructions', 'FROM debian:12\nRUN python3 <<EOF\nfrom os import path\nEOF\n'],
])('a Dockerfile may take %s', (_, text) => {
  expect(refusals(text)).toEqual([]);
});

test.each([
  ['another image', 'FROM debian:12\nCOPY --from=bench-task:0123 /x /x\n', ['COPY --from']],
  ['another public image', 'FROM debian:12\ncopy --link --from="redis:7" /x /x\n', ['COPY --from']],
  ['an image by a mount', 'FROM debian:12\nRUN --mount=target=/x,from=bench-task:0 cp -r /x /y\n', ['RUN --mount']],
  ['an image in a line that goes on', 'FROM debian:12\nCOPY \\\n# no\n  --from=redis:7 \\\n /x /x\n', ['COPY --from']],
  ['an image when others build on it', 'FROM debian:12\nONBUILD COPY --from=redis:7 /x /x\n', ['COPY --from']],
  ['an image of this engine', 'FROM bench-environment:12\n', ['FROM']],
  ['one under its long name', 'FROM docker.io/library/bench-environment:12\n', ['FROM']],
  ['an image by its id', 'FROM 0123456789ab\n', ['FROM']],
  ['one that a variable names', 'ARG X=bench-task\nFROM ${X}:0\n', ['FROM']],
  ['one that a variable without a value names', 'ARG X\nFROM $X\n', ['FROM']],
  [
    'one that its first stage names',
    'FROM bench-task:0 AS a\nFROM debian\nCOPY --from=bench-task:0 / /\n',
    ['COPY --from', 'FROM'],
  ],
  ['a stage that is text', 'FROM debian\nRUN <<EOF\nFROM x AS secret\nEOF\nCOPY --from=secret / /\n', ['COPY --from']],
  ['an image after text that hides it', 'FROM debian\nRUN <<EOF\nx \\\nEOF\nCOPY --from=redis / /\n', ['COPY --from']],
  ['a parser', '# syntax=example.com/mine:1\nFROM debian:12\n', ['# syntax']],
  ['lines that end otherwise', '# escape=`\nFROM debian:12\n', ['# escape']],
  ['what the engine fetches', 'FROM debian:12\nADD http://169.254.169.254/latest /x\n', ['ADD']],
  ['what the engine clones', 'FROM debian:12\nADD ["git@example.com:a/b.git", "/x"]\n', ['ADD']],
])('a Dockerfile may not take %s', (_, text, keys) => {
  expect(refusals(text).toSorted()).toEqual(keys);
});

test('images that the user names are taken', () => {
  const text = 'FROM bench-base:bookworm\nCOPY --from=redis:7 /x /x\n';
  expect(refusals(text, (image) => ['bench-base:bookworm', 'redis:7'].includes(image))).toEqual([]);
});

test('the engine’s own parser reads it', () => {
  expect(withoutSyntax('# a\n# syntax=docker/dockerfile:1\n# escape=\\\nFROM x\n# syntax=y\n')).toBe(
    '# a\n# escape=\\\nFROM x\n# syntax=y\n',
  );
});
