type Option<Value> = Value | readonly [Value, string];

const isPair = <Value,>(option: Option<Value>): option is readonly [Value, string] => Array.isArray(option);

export function Choice<const Value extends string | number | undefined>({
  label,
  value,
  options,
  onChange,
  disabled,
}: {
  label: string;
  value: NoInfer<Value>;
  options: readonly Option<Value>[];
  onChange: (value: Value) => void;
  disabled?: boolean;
}) {
  const choose = (option: Option<Value>): void => onChange(isPair(option) ? option[0] : option);
  return (
    <label>
      {label}{' '}
      <select
        value={value ?? ''}
        disabled={disabled}
        onChange={(event) => choose(options[event.currentTarget.selectedIndex]!)}
      >
        {options.map((option, i) =>
          isPair(option) ? (
            <option key={i} value={option[0] ?? ''}>
              {option[1]}
            </option>
          ) : (
            <option key={i}>{option}</option>
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

export const typed = (event: React.SyntheticEvent<HTMLInputElement>): string | undefined =>
  event.currentTarget.value === '' ? undefined : event.currentTarget.value;
