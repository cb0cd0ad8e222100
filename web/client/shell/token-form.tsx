import { client } from '../data/queries.js';
import { setToken } from '../data/token.js';

export function TokenForm() {
  return (
    <div className="state">
      <h2 className="state-title">A token is needed</h2>
      <p>
        Open the link that <code>bench serve</code> printed, or paste its token. <code>bench tokens add</code> makes
        more.
      </p>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          const value = new FormData(event.currentTarget).get('token');
          if (typeof value !== 'string' || value.trim() === '') return;
          const pasted = value.trim();
          setToken(pasted.split('token=').at(-1) ?? pasted);
          void client.resetQueries();
        }}
      >
        <label>
          Token <input name="token" type="password" autoComplete="off" spellCheck={false} required />
        </label>
        <button type="submit">Use it</button>
      </form>
    </div>
  );
}
