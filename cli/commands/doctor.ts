import type { Command } from 'commander';
import type { Check } from '../../operations/home/doctor.js';
import type { CliContext } from '../context.js';
import type { DoctorDocument } from '../../domain/views/home.js';
import { remedyText } from '../render/remedy.js';

const withRemedyText = ({ fields, remedy, ...check }: Check) => ({
  ...check,
  remedy: remedy === null ? null : remedyText(remedy, fields),
});

export function register(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .summary('check what this machine has and lacks')
    .description(
      'Check what bench needs: Node.js, Temporal, PostgreSQL, a container engine, disk space and ports. Changes nothing.',
    )
    .action(async () => {
      const { settings, output } = context;
      const { doctorChecks } = await import('../../operations/home/doctor.js');
      const checks = (await doctorChecks(settings, process.cwd())).map(withRemedyText);
      const failed = checks.some((check) => check.status === 'fail');
      output.json({ ok: !failed, checks } satisfies DoctorDocument);
      const { green, yellow, red } = output.colors;
      const mark = { ok: green('ok  '), warn: yellow('warn'), fail: red('fail') };
      for (const { name, status, detail, remedy } of checks) {
        output.print(`${mark[status]}  ${name.padEnd(9)} ${detail}`);
        if (remedy !== null && remedy !== '') output.print(`                → ${remedy}`);
      }
      if (failed) context.setExitCode(1);
    });
}
