import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { python, SampleTask, table, tasksFolder } from './sample-task.js';

describe('the sample of imageClassificationFMnist', () => {
  let sample: SampleTask;
  beforeAll(async () => {
    sample = await SampleTask.make('imageClassificationFMnist');
  });
  afterAll(() => sample.remove());
  const labels = () => sample.rows('hidden/labels.csv');
  const submission = (label: (row: Record<string, string>) => string) =>
    table(
      'id',
      'label',
      labels().map((row) => [row['id'] ?? '', label(row)]),
    );

  it('has pictures that its baseline can read, each id one of them, both splits mixed', async () => {
    const sizes = await python(
      join(sample.data.dir, 'agent', 'data'),
      `
from bench_tasks.images import read_idx
print(json.dumps([read_idx(open(name, "rb").read())[0] for name in (
    "train-images-idx3-ubyte", "train-labels-idx1-ubyte", "test-images-idx3-ubyte")]))`,
    );
    expect(sizes).toEqual([[1500, 28, 28], [1500], [900, 28, 28]]);
    expect(labels().map((row) => Number(row['id']))).toEqual(Array.from({ length: 900 }, (_, index) => index));
    const validation = labels().flatMap((row, index) => (row['split'] === 'validation' ? [index] : []));
    expect(validation).toHaveLength(300);
    expect(validation.filter((index) => index < 450).length).toBeGreaterThan(100);
    expect(validation.filter((index) => index < 450).length).toBeLessThan(200);
  });

  it('is scored by the share of right labels of the split', async () => {
    const text = submission((row) => (row['split'] === 'validation' ? (row['label'] ?? '') : '0'));
    expect(await sample.score('validation', text)).toEqual({ accuracy: 1 });
    expect(await sample.score('test', text)).toEqual({ accuracy: 0.1 });
  });

  it('rejects what does not fit, and says where', async () => {
    const right = submission((row) => row['label'] ?? '');
    const lines = right.split('\n');
    const cases: [string, RegExp][] = [
      [lines.slice(0, -1).join('\n'), /has 899 rows below its header; expected 900/],
      [right.replace(/\d\n/, '10\n'), /line 2, column label: 10 is out of range \(0 to 9\)/],
      [right.replace(/\d\n/, '\n'), /line 2, column label: '' is not an integer/],
      [right.replace(/\d\n/, 'bag\n'), /line 2, column label: 'bag' is not an integer/],
      [
        lines.map((line) => line.split(',')[1]).join('\n'),
        /the header names the columns 'label'; expected exactly id, label/,
      ],
      [[...lines.slice(0, -1), lines[1]].join('\n'), /id 0 occurs twice/],
    ];
    const verdicts = await sample.judge(
      ...cases.map(([text]) => ({ split: 'test' as const, files: { 'submission.csv': text } })),
    );
    for (const [index, [, message]] of cases.entries())
      expect(verdicts[index]).toEqual({ rejected: expect.stringMatching(message) as string });
  });
});

describe('imageClassificationCifar10', () => {
  it('takes images and labels out of the binary archive, and mixes both splits', async () => {
    const found = (await python(
      join(tasksFolder, 'imageClassificationCifar10'),
      `
import io, os, random, struct, tarfile, tempfile
import prepare
prepare.RECORDS, prepare.VALIDATION = 20, 10
rng, place = random.Random(1), tempfile.TemporaryDirectory()
batches = {name: rng.randbytes(20 * prepare.RECORD) for name in (*prepare.BATCHES, prepare.TEST_BATCH)}
archive = os.path.join(place.name, "a.tar.gz")
with tarfile.open(archive, "w:gz") as file:
    for name in ("readme.html", *reversed(batches)):
        content = batches.get(name, b"text")
        entry = tarfile.TarInfo("cifar-10-batches-bin/" + name)
        entry.size = len(content)
        file.addfile(entry, io.BytesIO(content))
class Data:
    sample, rows = False, []
    def source(self, name): return archive
    def agent_path(self, path): return os.path.join(place.name, os.path.basename(path))
    def hidden_csv(self, path, columns, rows): self.rows = rows
data = Data()
prepare.prepare(data)
def load(name):
    content = open(os.path.join(place.name, name), "rb").read()
    length = struct.unpack("<H", content[8:10])[0]
    assert content[:8] == b"\\x93NUMPY\\x01\\x00" and (10 + length) % 64 == 0
    return eval(content[10:10 + length])["shape"], content[10 + length:]
(train_shape, train), (label_shape, labels), (shape, images) = map(load, ("train_images.npy", "train_labels.npy", "test_images.npy"))
size = prepare.SIZE
records = lambda images, labels: [bytes([label]) + images[i * size:(i + 1) * size] for i, label in enumerate(labels)]
known = [batches[name][i:i + size + 1] for name in prepare.BATCHES for i in range(0, 20 * (size + 1), size + 1)]
test = [batches[prepare.TEST_BATCH][i:i + size + 1] for i in range(0, 20 * (size + 1), size + 1)]
unknown = records(images, [row["label"] for row in data.rows])
by = lambda split: sorted(record for record, row in zip(unknown, data.rows) if row["split"] == split)
print(json.dumps({"shapes": [train_shape, label_shape, shape],
  "test": by("test") == sorted(test), "all": sorted(records(train, labels) + by("validation")) == sorted(known),
  "mixed": [row["split"] for row in data.rows] != sorted(row["split"] for row in data.rows)}))`,
    )) as Record<string, unknown>;
    expect(found).toEqual({ shapes: [[90, 3, 32, 32], [90], [30, 3, 32, 32]], test: true, all: true, mixed: true });
  });

  it('refuses an archive that lacks a batch, or has a short one', async () => {
    const errors = await python(
      join(tasksFolder, 'imageClassificationCifar10'),
      `
import io, os, tarfile, tempfile
import prepare
prepare.RECORDS = 1
place, errors = tempfile.TemporaryDirectory(), []
for name, size in (("data_batch_1.bin", prepare.RECORD), ("data_batch_1.bin", 5)):
    archive = os.path.join(place.name, "a.tar.gz")
    with tarfile.open(archive, "w:gz") as file:
        entry = tarfile.TarInfo(name)
        entry.size = size
        file.addfile(entry, io.BytesIO(b"\\0" * size))
    try:
        prepare.read(archive)
    except ValueError as error:
        errors.append(str(error))
print(json.dumps(errors))`,
    );
    expect(errors).toEqual([
      expect.stringContaining('does not hold data_batch_2.bin, data_batch_3.bin'),
      'data_batch_1.bin of CIFAR-10 has 5 bytes',
    ]);
  });

  it('makes the same images up each time, of all classes, for the sample', async () => {
    const found = await python(
      join(tasksFolder, 'imageClassificationCifar10'),
      `
import random
import prepare
once, again = (prepare.made_up(random.Random("x"), 30) for _ in range(2))
print(json.dumps([once == again, sorted(record[0] for record in once), sorted({len(record) for record in once})]))`,
    );
    const classes = Array.from({ length: 30 }, (_, index) => Math.floor(index / 3));
    expect(found).toEqual([true, classes, [3073]]);
  });
});

describe('files of images', () => {
  it('are read back as they were written, and refused where they are not whole', async () => {
    const found = await python(
      tasksFolder,
      `
import os, tempfile
from bench_tasks.images import read_idx, write_idx, write_npy
path = os.path.join(tempfile.mkdtemp(), "x")
write_idx(path, (2, 1, 3), [b"abc", b"def"])
data = open(path, "rb").read()
shape, values = read_idx(data)
errors = []
for attempt in (lambda: read_idx(data[:-1]), lambda: read_idx(b"\\x89PNG...."), lambda: read_idx(data[:2] + b"\\x0d" + data[3:]),
                lambda: write_npy(path, (2, 2), [b"abc"])):
    try:
        attempt()
    except ValueError as error:
        errors.append(str(error).replace(path, "x"))
print(json.dumps([shape, values.decode(), errors]))`,
    );
    expect(found).toEqual([
      [2, 1, 3],
      'abcdef',
      [
        'an IDX file of the shape (2, 1, 3) has 5 values',
        'no IDX file of unsigned bytes',
        'no IDX file of unsigned bytes',
        '3 values were given for x, which has the shape (2, 2)',
      ],
    ]);
  });
});
