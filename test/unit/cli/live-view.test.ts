import { describe, expect, it } from 'vitest';
import { LiveView } from '../../../cli/live-view.js';
import { captured, report, run } from './fixtures.js';

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

  it('shows what moves when not all runs fit on the screen', () => {
    const { output, texts } = captured({ tty: true });
    const ended = Array.from({ length: 20 }, () =>
      run({ status: 'ended', endReason: 'submit', finalEvaluation: 'ok' }),
    );
    new LiveView(output, 'stdout').show(report([...ended, run({ model: 'scripted:slow' })]));
    expect(texts.stdout).toContain('scripted:slow');
    expect(texts.stdout).toContain('… and 17 more runs');
  });
});
