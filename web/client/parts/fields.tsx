/** A list with its label, to choose one of. Undefined is a choice like any other. */
export function Choice<const Value extends string | number | undefined>({
  label,
  value,
  options,
  onChange,
  disabled,
}: {
  label: string;
  value: NoInfer<Value>;
  options: readonly (Value | readonly [Value, string])[];
  onChange: (value: Value) => void;
  disabled?: boolean;
}) {
  const choose = (place: number): void => {
    const option = options[place]!;
    onChange(Array.isArray(option) ? (option as readonly [Value, string])[0] : (option as Value));
  };
  return (
    <label>
      {label}{' '}
      <select value={value ?? ''} disabled={disabled} onChange={(event) => choose(event.currentTarget.selectedIndex)}>
        {options.map((option, i) =>
          Array.isArray(option) ? (
            <option key={i} value={option[0] ?? ''}>
              {option[1]}
            </option>
          ) : (
            <option key={i}>{option as string}</option>
          ),
        )}
      </select>
    </label>
  );
}

export const Checkbox = ({
  checked,
  onChange,
  disabled,
  className,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  className?: string;
  children: React.ReactNode;
}) => (
  <label className={className}>
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />{' '}
    {children}
  </label>
);

/** What a field has, where nothing typed means nothing wanted. */
export const typed = (event: React.SyntheticEvent<HTMLInputElement>): string | undefined =>
  event.currentTarget.value === '' ? undefined : event.currentTarget.value;
