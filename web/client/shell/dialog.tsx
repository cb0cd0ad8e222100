import { useEffect, useRef } from 'react';
import { plainText, Text } from '../parts/text.js';

/** The browser's dialog: it traps focus, closes on Escape, and returns focus. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string;
  onClose: () => void;
  children: React.ReactNode;
  wide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const shown = dialog.current;
    if (shown !== null && !shown.open) shown.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={plainText(title)}
      className={wide ? 'wide' : undefined}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) dialog.current.close();
      }}
    >
      <div className="dialog-body">
        <div className="dialog-head">
          <h2>
            <Text value={title} />
          </h2>
          <button type="button" className="plain" aria-label="Close" onClick={() => dialog.current?.close()}>
            ✕
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
}
