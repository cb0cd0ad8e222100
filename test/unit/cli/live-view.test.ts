import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { LiveView } from '../../../cli/live-view.js';
import { renderBatch } from '../../../cli/render/batch.js';
import { providerTroubleLine } from '../../../cli/render/provider-trouble.js';
import { captured, report, run } from './fixtures.js';

const trouble = {
  ...{ model: 'gpt-4o', endpoint: 'localhost:9/v1', error: 'unreachable', runs: 3 },
  detail: 'openai could not be reached (gpt-4o: ECONNREFUSED)',
  ...{ at: '2026-01-31T12:00:00.000Z', nextTryAt: '2026-01-31T12:00:08.000Z' },
};

describe('the live view of a batch', () => {
  it('writes a line for each change where there is no terminal, and none without', () => {
    const { output, texts } = captured();
    const view = new LiveView(output, 'stdout');
    view.show(report([run({ status: 'queued', steps: 0 })]));
    view.show(report([run()]));
    view.show(report([run({ steps: 4 })]));
    view.show(report([run({ steps: 4, bestScore: 1.44 })]));
    view.show(report([run({ status: 'ended', endReason: 'submit', finalEvaluation: 'ok', bestScore: 1.44 })]));
    expect(texts.stdout.trim().split('\n')).toEqual([
      expect.stringContaining('#1: running, step 3'),
      expect.stringContaining('#1: running, step 4, best 1.44'),
      expect.stringContaining('#1: submit, step 3, best 1.44'),
    ]);
    expect(texts.stderr).toBe('');
  });

  it('keeps stdout free for the document with --json', () => {
    const { output, texts } = captured({ json: true, tty: true });
    new LiveView(output, 'stdout').show(report([run()]));
    expect(texts.stdout).toBe('');
    expect(texts.stderr).toContain('running');
  });

  it('redraws in place on a terminal', () => {
    const { output, texts } = captured({ tty: true });
    const view = new LiveView(output, 'stdout');
    view.show(report([run()]));
    view.show(report([run()]));
    // Headline, header, one run: three lines up before the second drawing.
    expect(texts.stdout).toContain('\u001b[3A\u001b[J');
  });

  it('cuts each line to the columns of the terminal, of which wide characters take two', () => {
    const { output, texts } = captured({ tty: true });
    const runs = [run({ model: '模型'.repeat(40) }), run({ model: 'm'.repeat(300) }), run()];
    new LiveView(output, 'stdout').show(report(runs, { name: '长'.repeat(80) }));
    const lines = texts.stdout.trimEnd().split('\n');
    // Headline, head, three runs, and what lets the terminal wrap again.
    expect(lines).toHaveLength(6);
    const widths = lines.map((line) => stringWidth(line));
    expect(Math.max(...widths)).toBe(100);
    expect(lines.filter((line) => line.includes('…'))).not.toHaveLength(0);
  });

  it('shows what moves when not all runs fit on the screen', () => {
    const { output, texts } = captured({ tty: true });
    const ended = Array.from({ length: 20 }, () =>
      run({ status: 'ended', endReason: 'submit', finalEvaluation: 'ok' }),
    );
    new LiveView(output, 'stdout').show(report([...ended, run({ model: 'scripted:slow' })]));
    expect(texts.stdout).toContain('scripted:slow');
    expect(texts.stdout).toContain('… and 17 more runs');
  });

  it('says what a provider does wrong and when it is tried again, once, and again when it comes back', () => {
    const { output, texts } = captured();
    const view = new LiveView(output, 'stdout');
    const waits = (detail: string) => view.show(report([run()], { providerErrors: [{ ...trouble, detail }] }));
    waits('first');
    waits('first, of another request');
    view.show(report([run()]));
    waits('back');
    expect(texts.stdout.split('\n').filter((line) => line.includes('localhost:9'))).toEqual([
      expect.stringContaining('first at localhost:9/v1: 3 runs wait, last error'),
      expect.stringContaining('back at localhost:9/v1'),
    ]);
  });

  it('has it above the table on a terminal, and `status` below', () => {
    const { output, texts } = captured({ tty: true });
    const waiting = report([run()], { providerErrors: [trouble] });
    new LiveView(output, 'stdout').show(waiting);
    expect(texts.stdout.split('\n')[1]).toContain('ECONNREFUSED');
    expect(renderBatch(waiting, output.colors)).toMatch(/rgkdvxf2 [^]*ECONNREFUSED/);
  });

  it('tells the next try by the clock', () => {
    const at = (time: string) => providerTroubleLine(trouble, new Date(`2026-01-31T12:00:${time}Z`));
    expect(at('00.500')).toContain('next try in 8 s');
    expect(at('09.000')).toContain('next try now');
    expect(providerTroubleLine({ ...trouble, nextTryAt: null })).toContain('trying now');
  });
});
