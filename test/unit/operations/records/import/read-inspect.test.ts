import { describe, expect, it } from 'vitest';
import type { ExchangedEnd, ExchangedRecord, ExchangedStepRow } from '../../../../../domain/ports/imports.js';
import { readLogHead, readSample } from '../../../../../operations/records/import/exchange/read-inspect.js';
import type { ZipMembers } from '../../../../../operations/records/import/exchange/zip-members.js';
import { Remarks } from '../../../../../operations/records/import/remarks.js';

const MEMBER = 'samples/7_epoch_1.json';

interface Read {
  record: ExchangedRecord;
  steps: ExchangedStepRow[];
  end: ExchangedEnd;
  remarks: (string | null)[][];
  /** What the remarks say. */
  said: string[];
}

/** A log of one sample, read as an import reads it. */
async function read(sample: object, results?: object): Promise<Read> {
  const members: Record<string, object> = {
    'header.json': { eval: { task: 'gaia', model: 'openai/gpt-5' }, ...(results !== undefined && { results }) },
    [MEMBER]: { id: 7, epoch: 1, uuid: 'u', input: 'What?', messages: [], ...sample },
  };
  const zip: ZipMembers = {
    names: () => Object.keys(members),
    async *text(name) {
      yield JSON.stringify(members[name]);
    },
    close: () => undefined,
  };
  const remarks = new Remarks('l.eval');
  const log = await readLogHead(zip, 'l.eval', remarks);
  const told = await readSample(zip, log, MEMBER, remarks);
  const steps: ExchangedStepRow[] = [];
  const end = await told.steps((step) => {
    steps.push(step);
    return Promise.resolve();
  });
  const all = remarks.all();
  return {
    ...{ record: told.record, steps, end },
    remarks: all.map(({ key, kind }) => [key.replace(`${MEMBER}: `, ''), kind]),
    said: all.map(({ message }) => message),
  };
}

const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more });
const assistant = (id: string, more: object = {}) => ({ id, role: 'assistant', content: `said in ${id}`, ...more });
const replied = (id: string) => ({ event: 'model', output: { choices: [{ message: { id } }] } });

describe('the score that ranks a sample', () => {
  const scored = (scores: object, first?: object) =>
    read({ messages: [assistant('m1')], scores }, first === undefined ? undefined : { scores: [first] });

  it.each([
    ['named after a key of its scorer, as Inspect names it', { name: 'clarity', scorer: 'quality' }, 'quality.clarity'],
    ['named after another key', { name: 'depth', scorer: 'quality' }, 'quality.depth'],
    ['named after a key, with no scorer', { name: 'clarity' }, 'quality.clarity'],
    ['named after a key, with a scorer that the sample has not', { name: 'depth', scorer: 'other' }, 'quality.depth'],
    ['named after its scorer: the first of its values', { name: 'quality', scorer: 'quality' }, 'quality.clarity'],
    ['one number', { name: 'match', scorer: 'match' }, 'match'],
    ['one number of a scorer that is there twice', { name: 'match', scorer: 'registered' }, 'match'],
    ['not named: the first', undefined, 'quality.clarity'],
  ])('is found where it is %s', async (_, first, metric) => {
    const scores = { quality: { value: { clarity: 0.7, depth: 0.3 } }, match: { value: 'C' } };
    const values: Record<string, number> = { 'quality.clarity': 0.7, 'quality.depth': 0.3, match: 1 };
    const { record, end, remarks } = await scored(scores, first);
    expect(remarks).toEqual([]);
    expect(record.task).toMatchObject({ metric, assumed: false });
    expect(end).toMatchObject({ finalScore: values[metric], finalEvaluation: 'ok' });
  });

  it('is its own scorer’s value where another scorer has the name of its key', async () => {
    const scores = { clarity: { value: 0.1 }, quality: { value: { clarity: 0.7 } } };
    expect((await scored(scores, { name: 'clarity', scorer: 'quality' })).end.finalScore).toBe(0.7);
  });

  it('is missed in a remark where the sample has other values alone', async () => {
    const { end, remarks, said } = await scored({ match: { value: 'C' } }, { name: 'clarity', scorer: 'quality' });
    expect(remarks).toEqual([['scores', 'no_score']]);
    expect(said).toEqual(['the log ranks by "quality.clarity", which is not one of match: there is no final score']);
    expect(end.finalScore).toBe(null);
  });

  it('has the same name where the sample has no scores, or no number', async () => {
    const first = { name: 'clarity', scorer: 'quality' };
    for (const scores of [{}, { quality: { value: { clarity: 'well', depth: 1 } } }, { quality: { value: 'well' } }])
      expect((await scored(scores, first)).record.task.metric).toBe('quality.clarity');
    expect((await scored({ quality: { value: { clarity: 'well', depth: 1 } } }, first)).remarks).toEqual([
      ['scores.quality.clarity', 'not_a_number'],
    ]);
  });
});

describe('messages of the assistant', () => {
  it('that were given are the prompt, whether Inspect says so or bench does', async () => {
    for (const mark of [{ source: 'input' }, { metadata: { bench: { prompt: 'assistant' } } }]) {
      const { steps, end, remarks } = await read({
        messages: [user('An example.'), assistant('p1', mark), user('What?'), assistant('m1'), assistant('m2')],
        events: [replied('m1'), { event: 'score', intermediate: true, score: { value: 0.5 } }, replied('m2')],
        scores: { match: { value: 1 } },
      });
      expect(remarks).toEqual([]);
      expect(end.prompt).toEqual([user('An example.'), { role: 'assistant', content: 'said in p1' }, user('What?')]);
      expect(steps.map(({ step, thought }) => [step, thought])).toEqual([
        [1, 'said in m1'],
        [2, 'said in m2'],
      ]);
      expect(end.evaluations.map(({ step }) => step)).toEqual([1, 2]);
    }
  });

  it('that the model gave in this sample are steps, though a later solver got them as its input', async () => {
    const { steps, remarks } = await read({
      messages: [user('What?'), assistant('m1', { source: 'input' }), user('Go on.'), assistant('m2')],
      events: [replied('m1'), replied('m2')],
    });
    expect(remarks).toEqual([]);
    expect(steps.map(({ thought, observation }) => [thought, observation])).toEqual([
      ['said in m1', 'Go on.'],
      ['said in m2', null],
    ]);
  });

  it('that were given between steps are no step, and are told', async () => {
    const { steps, remarks } = await read({
      messages: [assistant('m1'), assistant('p1', { source: 'input' }), assistant('m2')],
      events: [replied('m1'), replied('m2')],
    });
    expect(remarks).toEqual([['messages[1]', 'message_in_observation']]);
    expect(steps.map(({ observation }) => observation)).toEqual(['said in p1', null]);
  });

  it('have all parts of their reasoning', async () => {
    const content = [
      { type: 'reasoning', reasoning: 'First.' },
      { type: 'text', text: 'So.' },
      { type: 'reasoning', reasoning: 'attachment://k' },
    ];
    const { steps, remarks } = await read({ messages: [assistant('m1', { content })], attachments: { k: 'Then.' } });
    expect(remarks).toEqual([]);
    expect(steps).toMatchObject([{ thought: 'First.\nThen.' }]);
  });
});

describe('events', () => {
  it('of every kind of Inspect are taken; one of an unknown kind is told, and the sample is read', async () => {
    const events = [{ event: 'review' }, { event: 'sentinel' }, { event: 'teleport' }, replied('m1')];
    const { steps, remarks } = await read({ messages: [assistant('m1')], events });
    expect(remarks).toEqual([['events[2].event', 'unknown_kind']]);
    expect(steps).toHaveLength(1);
  });

  it('without a kind are refused', async () =>
    expect(read({ events: [{ event: 3 }] })).rejects.toMatchObject({
      ...{ key: `${MEMBER}: events[0].event`, kind: 'wrong_type' },
    }));
});

it('a text that lies apart and is too long is told to be clipped', async () => {
  const long = 'x'.repeat(5 * 1024 * 1024);
  const { steps, remarks } = await read({
    messages: [assistant('m1', { content: 'attachment://k' })],
    attachments: { k: long },
    events: [{ event: 'info', data: long }],
  });
  expect(remarks).toEqual([['attachments.k', 'clipped']]);
  expect(steps[0]!.response.length).toBeLessThan(long.length);
});
