import { beforeAll, describe, expect, it } from 'vitest';
import { runPython } from './run-python.js';

/** Readers applied to files made in Python: each gives its arrays, or the message of a rejection. */
const PRELUDE = `
import io, pickle, struct, zipfile
from bench_tasks.rejected import Rejected
from bench_tasks.arrays import read_npy, read_npz, read_safetensors

def npy(descr="<f4", shape="(2, 2)", order="False", body=struct.pack("<4f", 1, 2, 3, 4), version=1, header=None):
    header = (header or "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)).encode().ljust(117) + b"\\n"
    length = len(header).to_bytes(2 if version == 1 else 4, "little")
    return b"\\x93NUMPY" + bytes((version, 0)) + length + header + body

def npz(entries, compression=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return file.getvalue()

def tensors(header, body=b"", length=None):
    data = header if isinstance(header, bytes) else json.dumps(header).encode()
    return (len(data) if length is None else length).to_bytes(8, "little") + data + body

def tensor(dtype="F32", shape=(2,), start=0, end=8):
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}

def shown(read, data, **options):
    try:
        found = read(data, "a", **options)
    except Rejected as rejected:
        return str(rejected)
    plain = lambda one: [one.shape, one.dtype, list(one.values)]
    return {key: plain(value) for key, value in found.items()} if isinstance(found, dict) else plain(found)

FLOATS = struct.pack("<2f", 1.5, -2)
`;

type Cases = Record<string, [expression: string, expected: unknown]>;
const rejected = (text: RegExp): unknown => expect.stringMatching(text);

/** All expressions in one process: starting Python is what takes the time. */
async function results(cases: Cases): Promise<Record<string, unknown>> {
  const lines = Object.entries(cases).map(([name, [expression]]) => `results[${JSON.stringify(name)}] = ${expression}`);
  return (await runPython(`${PRELUDE}results = {}\n${lines.join('\n')}\nprint(json.dumps(results))`)) as Record<
    string,
    unknown
  >;
}

const NPY: Cases = {
  'float32, row by row': ['shown(read_npy, npy())', [[2, 2], 'f4', [1, 2, 3, 4]]],
  'format 2': ['shown(read_npy, npy(version=2))', [[2, 2], 'f4', [1, 2, 3, 4]]],
  'one dimension': ["shown(read_npy, npy('<i8', '(1,)', body=struct.pack('<q', -7)))", [[1], 'i8', [-7]]],
  'a scalar': ["shown(read_npy, npy('|u1', '()', body=b'\\x09'))", [[], 'u1', [9]]],
  'an empty one': ["shown(read_npy, npy('<f8', '(0, 3)', body=b''))", [[0, 3], 'f8', []]],
  'half floats': ["shown(read_npy, npy('<f2', '(2,)', body=struct.pack('<2e', 0.5, -1)))", [[2], 'f2', [0.5, -1]]],
  'the expected shape': ["shown(read_npy, npy(), shape=(None, 2), dtype='f4')", [[2, 2], 'f4', [1, 2, 3, 4]]],
  'another shape': ['shown(read_npy, npy(), shape=(2, 3))', rejected(/shape \(2, 2\); expected \(2, 3\)/)],
  'another number of dimensions': ['shown(read_npy, npy(), shape=(4,))', rejected(/expected \(4,\)/)],
  'another type': ["shown(read_npy, npy(), dtype=('i4', 'i8'))", rejected(/type f4; expected/)],
  'objects, which are pickles': [
    "shown(read_npy, npy('|O', '(1,)', body=pickle.dumps([print])))",
    rejected(/not that of a plain array/),
  ],
  text: ["shown(read_npy, npy('<U1', '(1,)', body=b'aaaa'))", rejected(/not that of a plain array/)],
  'fields of records': [
    `shown(read_npy, npy(header="{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }"))`,
    rejected(/not that of a plain array/),
  ],
  'an expression in the header': [
    `shown(read_npy, npy(header="{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os').getpid(),), }"))`,
    rejected(/not that of a plain array/),
  ],
  'big-endian numbers': ["shown(read_npy, npy('>f4'))", rejected(/not that of a plain array/)],
  'an unknown type': ["shown(read_npy, npy('<c8'))", rejected(/type c8; known are/)],
  'Fortran order': ["shown(read_npy, npy(order='True'))", rejected(/Fortran order/)],
  'a shape beyond all memory': [
    "shown(read_npy, npy(shape='(4611686018427387904, 4)'))",
    rejected(/size does not fit/),
  ],
  'a shape that overflows': [
    "shown(read_npy, npy(shape='(4294967296, 4294967296, 4)'))",
    rejected(/size does not fit/),
  ],
  'a shape of a thousand digits': [
    "shown(read_npy, npy(shape='(%s,)' % ('9' * 1000)))",
    rejected(/not that of a plain/),
  ],
  'many dimensions': ["shown(read_npy, npy(shape='(%s)' % ('1, ' * 9)))", rejected(/more than 8 dimensions/)],
  'a body that is too long': ["shown(read_npy, npy(body=b'x' * 17))", rejected(/size does not fit/)],
  'a body that is cut': ["shown(read_npy, npy(body=b'x' * 15))", rejected(/size does not fit/)],
  NaN: ["shown(read_npy, npy(body=struct.pack('<4f', 1, 2, float('nan'), 4)))", rejected(/value number 2 is nan/)],
  infinity: ["shown(read_npy, npy(body=struct.pack('<4f', 1, 2, 3, float('inf'))))", rejected(/number 3 is inf/)],
  'NaN where it is allowed': [
    "len(read_npy(npy(body=struct.pack('<4f', 1, 2, float('nan'), 4)), 'a', finite=False).values)",
    4,
  ],
  'a header longer than the file': ["shown(read_npy, b'\\x93NUMPY\\x01\\x00\\xff\\xff{}')", rejected(/header/)],
  'a header of gigabytes': ["shown(read_npy, b'\\x93NUMPY\\x02\\x00\\xff\\xff\\xff\\xff{}')", rejected(/header/)],
  'no array': ["shown(read_npy, b'PK')", rejected(/not a NumPy array file/)],
  'an empty file': ["shown(read_npy, b'')", rejected(/not a NumPy array file/)],
};

const NPZ: Cases = {
  'its arrays by name': [
    "shown(read_npz, npz([('x.npy', npy()), ('y.npy', npy('|u1', '()', body=b'\\x01'))]))",
    { x: [[2, 2], 'f4', [1, 2, 3, 4]], y: [[], 'u1', [1]] },
  ],
  'an object array': ["shown(read_npz, npz([('x.npy', npy('|O'))]))", rejected(/'x\.npy' of a: its header/)],
  'no array inside': ["shown(read_npz, npz([('x.txt', b'')]))", rejected(/'x\.txt' is not an array/)],
  'a name twice': ["shown(read_npz, npz([('x.npy', npy()), ('x.npy', npy())]))", rejected(/not an array of its own/)],
  'a zip bomb': [
    "shown(read_npz, npz([('x.npy', bytes(3_000_000))]), max_unpacked=1_000_000)",
    rejected(/unpacks to more than 1000000 bytes/),
  ],
  'many small bombs': [
    "shown(read_npz, npz([('%d.npy' % i, npy(shape='(100000,)', body=bytes(400_000))) for i in range(4)]), max_unpacked=1_000_000)",
    rejected(/unpacks to more than 1000000 bytes/),
  ],
  'too many arrays': [
    "shown(read_npz, npz([('%d.npy' % i, npy()) for i in range(11)]), max_arrays=10)",
    rejected(/more than 10 arrays/),
  ],
  'a cut archive': ["shown(read_npz, npz([('x.npy', npy())])[:-30])", rejected(/not a NumPy archive/)],
  'changed bytes': [
    "shown(read_npz, npz([('x.npy', npy())], zipfile.ZIP_STORED).replace(b'NUMPY', b'NUMPX'))",
    rejected(/not a NumPy archive.*CRC/),
  ],
  'no archive': ["shown(read_npz, b'hello')", rejected(/not a NumPy archive/)],
  'LZMA, whose streams choose the memory that they take': [
    "shown(read_npz, npz([('x.npy', npy())], zipfile.ZIP_LZMA))",
    rejected(/compressed in another way than NumPy does it/),
  ],
  bzip2: ["shown(read_npz, npz([('x.npy', npy())], zipfile.ZIP_BZIP2))", rejected(/compressed in another way/)],
  'a member that claims more than there may be': [
    "shown(read_npz, npz([('x.npy', npy())]).replace((144).to_bytes(4, 'little'), (2**31).to_bytes(4, 'little')))",
    rejected(/unpacks to more than/),
  ],
};

const SAFETENSORS: Cases = {
  'a tensor twice': [
    `shown(read_safetensors, tensors(b'{"w": %s, "w": %s}' % ((json.dumps(tensor()).encode(),) * 2), FLOATS))`,
    rejected(/the same key twice/),
  ],
  'two tensors in another order than their bytes': [
    "shown(read_safetensors, tensors({'b': tensor(start=8, end=16), 'a': tensor()}, FLOATS * 2))",
    rejected(/place in the file/),
  ],
  'an end before the beginning': [
    "shown(read_safetensors, tensors({'w': tensor(start=8, end=0)}, FLOATS))",
    rejected(/place in the file/),
  ],
  'three offsets': [
    "shown(read_safetensors, tensors({'w': {**tensor(), 'data_offsets': [0, 4, 8]}}, FLOATS))",
    rejected(/another form/),
  ],
  'a key that tensors do not have': [
    "shown(read_safetensors, tensors({'w': {**tensor(), 'device': 'cuda'}}, FLOATS))",
    rejected(/other keys than/),
  ],
  'metadata that are no text': [
    "shown(read_safetensors, tensors({'__metadata__': {'a': 1}, 'w': tensor()}, FLOATS))",
    rejected(/__metadata__ holds something else/),
  ],
  'NaN in the header': [
    `shown(read_safetensors, tensors(b'{"__metadata__": {"a": NaN}}'))`,
    rejected(/header is not that of/),
  ],
  'an offset of a thousand digits': [
    "shown(read_safetensors, tensors({'w': tensor(end=10**1000)}, FLOATS))",
    rejected(/header is not that of/),
  ],
  'a header of many megabytes': [
    "shown(read_safetensors, tensors(b'{' + b' ' * 5_000_000 + b'}'))",
    rejected(/impossible length/),
  ],
  'a number whose square is beyond all floats': [
    "shown(read_safetensors, tensors({'w': tensor('F64', (1,))}, struct.pack('<d', -1e200)))",
    rejected(/number 0 is -1e\+200; all must be at most 1e\+100/),
  ],
  'its tensors by name': [
    "shown(read_safetensors, tensors({'__metadata__': {'a': 'b'}, 'w': tensor()}, FLOATS))",
    { w: [[2], 'f4', [1.5, -2]] },
  ],
  'bfloat16 and half': [
    "shown(read_safetensors, tensors({'b': tensor('BF16', (2,), 0, 4), 'h': tensor('F16', (1,), 4, 6)}, b'\\x80\\x3f\\x00\\xc0' + struct.pack('<e', 0.25)))",
    { b: [[2], 'bf2', [1, -2]], h: [[1], 'f2', [0.25]] },
  ],
  'an empty tensor': ["shown(read_safetensors, tensors({'w': tensor(shape=(0,), end=0)}))", { w: [[0], 'f4', []] }],
  'overlapping tensors': [
    "shown(read_safetensors, tensors({'a': tensor(), 'b': tensor()}, FLOATS))",
    rejected(/place in the file/),
  ],
  'a gap': [
    "shown(read_safetensors, tensors({'w': tensor(start=4, end=12)}, b'1234' + FLOATS))",
    rejected(/place in the/),
  ],
  'a tensor beyond the end': [
    "shown(read_safetensors, tensors({'w': tensor()}, FLOATS[:4]))",
    rejected(/place in the/),
  ],
  'bytes behind the last': [
    "shown(read_safetensors, tensors({'w': tensor()}, FLOATS + b'x'))",
    rejected(/bytes follow/),
  ],
  'a shape that does not fit': [
    "shown(read_safetensors, tensors({'w': tensor(shape=(2**40, 2**40))}, FLOATS))",
    rejected(/place in the file/),
  ],
  'negative offsets': [
    "shown(read_safetensors, tensors({'w': tensor(start=-8, end=0)}, FLOATS))",
    rejected(/not a whole number/),
  ],
  'true in place of a number': [
    "shown(read_safetensors, tensors({'w': tensor(shape=(True, 2))}, FLOATS))",
    rejected(/not a whole number/),
  ],
  'a shape that is text': [
    "shown(read_safetensors, tensors({'w': tensor(shape='ab')}, FLOATS))",
    rejected(/of another form/),
  ],
  'an unknown type': [
    "shown(read_safetensors, tensors({'w': tensor('OBJECT')}, FLOATS))",
    rejected(/type 'OBJECT'; known are/),
  ],
  NaN: ["shown(read_safetensors, tensors({'w': tensor()}, struct.pack('<2f', 1, float('nan'))))", rejected(/is nan/)],
  'a header longer than the file': [
    'shown(read_safetensors, tensors({}, length=2**63))',
    rejected(/impossible length/),
  ],
  'a header that is a list': ['shown(read_safetensors, tensors([]))', rejected(/header is not that of/)],
  'a header nested without end': [
    "shown(read_safetensors, tensors(b'[' * 100_000))",
    rejected(/header is not that of/),
  ],
  'a header that is no text': ["shown(read_safetensors, tensors(b'\\xff\\xfe'))", rejected(/header is not that of/)],
  'too many tensors': [
    'shown(read_safetensors, tensors({str(i): tensor() for i in range(11)}), max_tensors=10)',
    rejected(/more than 10 tensors/),
  ],
  'a short file': ["shown(read_safetensors, b'1234567')", rejected(/too short/)],
};

describe.each([
  ['.npy', NPY],
  ['.npz', NPZ],
  ['safetensors', SAFETENSORS],
])('reading %s', (_, cases) => {
  let found: Record<string, unknown>;
  beforeAll(async () => {
    found = await results(cases);
  });

  it.each(Object.entries(cases).map(([name, [, expected]]) => [name, expected] as const))('%s', (name, expected) => {
    expect(found[name]).toEqual(expected);
  });
});
