import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepared, promptOf, pythonOf, taskSpec } from './task-python.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-test-language-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const table = (text: string | undefined): string[][] =>
  (text ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));

/** Python: `judge(split, files)` runs referee.py on submitted files; `hidden`: its other files. */
const judging = (hidden: Record<string, string>): string => `
import os, tempfile
import referee
from bench_tasks.files import Files
from bench_tasks.rejected import Rejected
folder = tempfile.mkdtemp(dir=${JSON.stringify(root)})
os.chdir(folder)
for name, text in json.loads(${JSON.stringify(JSON.stringify(hidden))}).items():
    with open(name, "w") as file:
        file.write(text)
def judge(split, submission):
    answers = tempfile.mkdtemp(dir=folder)
    with open(answers + "/submission.csv", "w") as file:
        file.write(submission)
    try:
        return referee.evaluate(Files({"split": split, "seed": "00", "answers": answers, "inputs": ""}))
    except Rejected as rejected:
        return str(rejected)
`;

describe('naturalLanguageInferenceMNLI', () => {
  const task = 'naturalLanguageInferenceMNLI';

  it('takes the test from the matched development set, and the validation from the training set, premises apart', async () => {
    const archive = join(root, 'multinli_1.0.zip');
    const labels = ['entailment', 'neutral', 'contradiction', '-'];
    const pairs = (part: string, count: number): object[] =>
      Array.from({ length: count }, (_, i) => ({
        gold_label: labels[i % 4],
        genre: 'fiction',
        promptID: `${part}${Math.floor(i / 4)}`,
        sentence1: `${part} premise\t${Math.floor(i / 4)} `,
        sentence2: `${part} hypothesis ${i}`,
      }));
    const files = { train: pairs('train', 120), dev_matched: pairs('dev', 40) };
    const made = await prepared(task, {
      sources: { 'multinli_1.0.zip': archive },
      change: `
import zipfile
prepare.VALIDATION = 20
with zipfile.ZipFile(${JSON.stringify(archive)}, "w") as file:
    for name, rows in json.loads(${JSON.stringify(JSON.stringify(files))}).items():
        file.writestr("multinli_1.0/multinli_1.0_%s.jsonl" % name, "".join(json.dumps(row) + "\\n" for row in rows))`,
    });
    expect(made.leaks).toEqual([]);
    const [header, ...train] = table(made.files['agent/data/train.csv']);
    expect(header).toEqual(['id', 'genre', 'premise', 'hypothesis', 'label']);
    const [shown, ...asked] = table(made.files['agent/data/pairs.csv']);
    expect(shown).toEqual(['id', 'genre', 'premise', 'hypothesis']);
    const [, ...hidden] = table(made.files['hidden/labels.csv']);
    // A quarter has no label.
    expect([train.length, asked.length, hidden.length]).toEqual([69, 51, 51]);
    expect(hidden.map(([id]) => id)).toEqual(asked.map(([id]) => id));
    const premises = new Set(train.map((row) => row[2]));
    for (const [index, row] of asked.entries()) {
      expect(premises.has(row[2])).toBe(false);
      expect(hidden[index]![2]).toBe(row[2]!.startsWith('dev ') ? 'test' : 'validation');
      // The hypothesis' number tells its label.
      expect(Number(hidden[index]![1])).toBe(Number(/\d+$/.exec(row[3]!)![0]) % 4);
    }
  });

  it('scores the rows of the split alone, in percent, and says what is wrong with others', async () => {
    const truth = 'id,label,split\np0,0,test\np1,1,validation\np2,2,test\np3,2,test\n';
    const found = await pythonOf(
      task,
      `${judging({ 'labels.csv': truth })}
rows = "id,label\\np3,2\\np0,0\\np2,1\\np1,1\\n"
print(json.dumps([judge(split, rows)["validation_accuracy"] for split in ("validation", "test")] + [
    judge("test", wrong) for wrong in (rows.replace("p1,1\\n", ""), rows + "p4,1\\n", rows.replace("p2,1", "p2,3"),
    rows.replace("p2,1", "p2,nan"), rows.replace("p2", "p0"), rows.replace("label", "gold"))]))`,
    );
    expect(found).toEqual([
      100,
      expect.closeTo(200 / 3, 10),
      'submission.csv has 3 rows below its header; expected 4',
      'submission.csv has more than the expected 4 rows below its header',
      'submission.csv, line 4, column label: 3 is out of range (0 to 2)',
      "submission.csv, line 4, column label: 'nan' is not an integer",
      "submission.csv: id 'p0' occurs twice",
      "submission.csv: the header names the columns 'id, gold'; expected exactly id, label",
    ]);
  });
});

describe('imageCaptioningCOCO', () => {
  const task = 'imageCaptioningCOCO';

  it('shows agents the photographs that it asks for, and hides their captions', async () => {
    const made = await prepared(task, {
      sources: Object.fromEntries(
        ['annotations_trainval2014.zip', 'train2014.zip', 'val2014.zip'].map((name) => [name, join(root, name)]),
      ),
      change: `
import zipfile
prepare.TRAIN, prepare.VALIDATION, prepare.TEST = 6, 4, 5
for part in ("train", "val"):
    images = [{"id": number, "file_name": "COCO_%s2014_%012d.jpg" % (part, number)} for number in range(12)]
    notes = [{"image_id": each["id"], "caption": "%s caption, %d of %d\\n" % (part, n, each["id"])} for each in images for n in range(5)]
    with zipfile.ZipFile(${JSON.stringify(join(root, 'annotations_trainval2014.zip'))}, "a") as file:
        file.writestr("annotations/captions_%s2014.json" % part, json.dumps({"images": images, "annotations": notes}))
    with zipfile.ZipFile(${JSON.stringify(root)} + "/" + part + "2014.zip", "w") as file:
        for each in images:
            file.writestr(part + "2014/" + each["file_name"], "photograph " + each["file_name"])`,
    });
    expect(made.leaks).toEqual([]);
    const names = Object.keys(made.files);
    const [, ...asked] = table(made.files['agent/data/test.csv']);
    expect(asked).toHaveLength(9);
    for (const [name = ''] of asked) expect(made.files[`agent/data/test/${name}`]).toBe(`photograph ${name}`);
    expect(names.filter((name) => name.startsWith('agent/data/train/COCO_train2014_'))).toHaveLength(6);
    expect(names.filter((name) => name.startsWith('agent/data/test/'))).toHaveLength(9);
    expect(made.files['agent/data/train_captions.csv']!.trimEnd().split('\n')).toHaveLength(31);
    const hidden = made.files['hidden/captions.csv']!;
    expect(hidden.match(/,test,"val caption, \d of \d+"\n/g)).toHaveLength(25);
    expect(hidden.match(/,validation,"val caption, \d of \d+"\n/g)).toHaveLength(20);
  });

  it('computes BLEU of the images of the split, and says what is wrong with a submission', async () => {
    const truth =
      'file_name,split,caption\na.png,test,a red ball on the grass\na.png,test,"red ball, grass"\nb.png,validation,two dogs run home today\n';
    const found = await pythonOf(
      task,
      `${judging({ 'captions.csv': truth })}
rows = "file_name,caption\\nb.png,Two dogs run home today!\\na.png,a cat\\n"
print(json.dumps([judge(split, rows)["BLEU Score"] for split in ("validation", "test")] + [
    judge("test", wrong) for wrong in (rows.replace("a.png,a cat\\n", ""), rows.replace("a.png", "c.png"), rows.replace("a cat", "x" * 1001),
    "bleu_score\\n0.9\\n")]))`,
    );
    expect(found).toEqual([
      1,
      0,
      'submission.csv has 1 rows below its header; expected 2',
      "submission.csv: there is no row with file_name 'a.png'",
      'submission.csv, line 3, column caption: the text has more than 1000 characters',
      "submission.csv: the header names the columns 'bleu_score'; expected exactly file_name, caption",
    ]);
  });
});

describe('languageModelingFineWeb', () => {
  const task = 'languageModelingFineWeb';

  it('hides windows of the validation shard that do not overlap, and hands on the others as they are', async () => {
    const made = await prepared(task, {
      sources: Object.fromEntries(
        taskSpec(task).data!.sources.map(({ name }) => [
          name,
          join(root, name.includes('val') ? 'val.bin' : 'train.bin'),
        ]),
      ),
      change: `
import struct
prepare.WINDOW, prepare.WINDOWS = 4, 3
for name, first in (("val.bin", 100), ("train.bin", 7)):
    with open(${JSON.stringify(root)} + "/" + name, "wb") as file:
        file.write(struct.pack("<256i", 20240520, 1, 40, *[0] * 253) + struct.pack("<40H", *range(first, first + 40)))
list_hidden = prepare.hide_windows
def hide_windows(data, *arguments):
    list_hidden(data, *arguments)
    for split in ("validation", "test"):
        content = open(data.hidden_path(split + ".bin"), "rb").read()
        with open(data.hidden_path(split + ".json"), "w") as file:
            json.dump([struct.unpack("<256i", content[:1024])[:4], struct.unpack("<12H", content[1024:])], file)
prepare.hide_windows = hide_windows`,
    });
    expect(made.leaks).toEqual([]);
    expect(Object.keys(made.files).filter((name) => name.includes('fineweb_train_'))).toHaveLength(18);
    const windows = ['validation', 'test'].flatMap((split) => {
      const [header, tokens] = JSON.parse(made.files[`hidden/${split}.json`]!) as [number[], number[]];
      expect(header).toEqual([20240520, 1, 12, 0]);
      return [tokens.slice(0, 4), tokens.slice(4, 8), tokens.slice(8)];
    });
    const starts = windows.map(([start]) => start!);
    expect(new Set(starts).size).toBe(6);
    for (const window of windows) {
      expect((window[0]! - 100) % 4).toBe(0);
      expect(window).toEqual([0, 1, 2, 3].map((place) => window[0]! + place));
    }
    expect(JSON.parse(made.files['hidden/settings.json']!)).toEqual({ vocabulary: 50257, window: 4 });
  });

  it('scores the windows of its split side by side, and never tells a token before it is answered', async () => {
    const found = await pythonOf(
      task,
      `
import array, os, struct, tempfile
import referee
os.chdir(tempfile.mkdtemp(dir=${JSON.stringify(root)}))
with open("settings.json", "w") as file:
    json.dump({"vocabulary": 5, "window": 3}, file)
with open("validation.bin", "wb") as file:
    file.write(bytes(1024) + struct.pack("<6H", 0, 1, 2, 3, 4, 0))
class Player:
    split, context, asked = "validation", "", []
    def ask_floats(self, count, tokens, new, seconds):
        self.asked.append([tokens, new])
        return array.array("f", [0.0] * count)
loss = referee.evaluate(Player())["val_loss"]
print(json.dumps([loss, Player.asked]))`,
    );
    expect(found).toEqual([
      expect.closeTo(Math.log(5), 10),
      [
        [[0, 3], true],
        [[1, 4], false],
      ],
    ]);
  });

  it('names the sizes that it keeps to', () => {
    const { evaluator, submission } = taskSpec(task);
    if (evaluator.kind !== 'questions') throw new Error('expected questions');
    const prompt = promptOf(task);
    expect(prompt).toContain(`at most ${submission.maxBytes / 2 ** 20} MB`);
    expect(prompt).toContain(`${evaluator.memoryMb} MB of memory`);
  });
});
