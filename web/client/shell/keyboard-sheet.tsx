import { useKeyGroups } from '../keys/keys.js';
import { Dialog } from './dialog.js';
import { setPreferences, usePreferences } from './preferences.js';

export function KeyboardSheet({ onClose }: { onClose: () => void }) {
  const groups = useKeyGroups();
  const { letters } = usePreferences();
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      {groups
        .filter(({ bindings }) => bindings.length > 0)
        .map(({ title, bindings }) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl className="keys">
              {bindings.map(({ keys, does }) => (
                <div key={keys}>
                  <dt>
                    {keys.split(' ').map((key, i) => (
                      <kbd key={i}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      <label className="row">
        <input
          type="checkbox"
          checked={letters}
          onChange={(event) => setPreferences({ letters: event.currentTarget.checked })}
        />
        single letters do something
      </label>
    </Dialog>
  );
}
