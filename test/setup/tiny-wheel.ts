import { execa } from 'execa';

/** A wheel `<name>-1.0` with one module of `code`, byte for byte reproducible. */
export async function tinyWheel(name: string, code: string): Promise<{ file: string; bytes: Buffer }> {
  const program = [
    'import sys, zipfile',
    'name, code = sys.argv[1:]',
    'info = name + "-1.0.dist-info/"',
    'with zipfile.ZipFile(sys.stdout.buffer, "w") as z:',
    '  z.writestr(zipfile.ZipInfo(name + ".py"), code)',
    '  z.writestr(zipfile.ZipInfo(info + "METADATA"), "Metadata-Version: 2.1\\nName: %s\\nVersion: 1.0\\n" % name)',
    '  z.writestr(zipfile.ZipInfo(info + "WHEEL"), "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")',
    '  z.writestr(zipfile.ZipInfo(info + "RECORD"), name + ".py,,\\n")',
  ].join('\n');
  const { stdout } = await execa('python3', ['-c', program, name, code], { encoding: 'buffer' });
  return { file: `${name}-1.0-py3-none-any.whl`, bytes: Buffer.from(stdout) };
}
