import { useEffect, useId, useRef } from 'react';
import { intoView } from './into-view.js';

interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: string }[];
  chosen: Name;
  onChoose: (name: Name) => void;
  more?: React.ReactNode;
  children: React.ReactNode;
}

/** Arrows move between tabs, as screen readers expect. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose, more, children }: TabsProps<Name>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => intoView(list.current, '[aria-selected=true]'), [chosen]);
  return (
    <>
      <div className="tabs-row">
        <div ref={list} role="tablist" aria-label={label} className="tabs">
          {tabs.map(({ name, title }, i) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={name === chosen ? 0 : -1}
              onClick={() => onChoose(name)}
              onKeyDown={(event) => {
                const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
                if (by === undefined) return;
                event.preventDefault();
                const to = tabs[(i + by + tabs.length) % tabs.length]!;
                onChoose(to.name);
                document.getElementById(`${id}-${to.name}`)?.focus();
              }}
            >
              {title}
            </button>
          ))}
        </div>
        <span className="grow" />
        {more}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`} className="tab-panel">
        {children}
      </div>
    </>
  );
}
