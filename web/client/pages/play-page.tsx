import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { act } from '../data/ask.js';
import { Page } from '../parts/page.js';
import { Failure } from '../parts/states.js';
import { useTitle } from '../parts/title.js';

export function PlayPage() {
  const { task } = useSearch({ from: '/play' });
  const navigate = useNavigate();
  useTitle('Play');
  const [starting, setStarting] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const start = async (given: FormData): Promise<void> => {
    const text = (name: string): string | undefined => {
      const value = given.get(name);
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
    };
    const [agent, backend] = [text('agent'), text('backend')];
    setStarting(true);
    setFailed(null);
    try {
      const { runId } = await act<{ runId: string }>(
        '/play',
        {
          task: text('task') ?? '',
          ...(agent && { agent }),
          ...(backend && { backend }),
          sample: given.get('sample') !== null,
        },
        crypto.randomUUID(),
      );
      await navigate({ to: '/runs/$id', params: { id: runId } });
    } catch (error) {
      setFailed(error);
      setStarting(false);
    }
  };
  return (
    <Page title="Play a run yourself">
      <p>You get the prompt, the parser, the limits and the records of a model. The run waits when you leave.</p>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void start(new FormData(event.currentTarget));
        }}
      >
        <label>
          Task <input name="task" required autoFocus defaultValue={task ?? ''} placeholder="battleOfSexes" />
        </label>
        <label>
          Agent <input name="agent" placeholder="default" />
        </label>
        <label>
          Backend{' '}
          <select name="backend" defaultValue="">
            <option value="">what answers</option>
            <option>docker</option>
            <option>podman</option>
            <option>local</option>
          </select>
        </label>
        <label>
          <input type="checkbox" name="sample" /> on sample data
        </label>
        <button type="submit" disabled={starting}>
          {starting ? 'starting…' : 'Start'}
        </button>
      </form>
      {failed !== null && <Failure error={failed} />}
    </Page>
  );
}
