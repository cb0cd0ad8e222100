import { TextBlock } from './text.js';

export const JsonView = ({ value, label }: { value: unknown; label: string }) => (
  <TextBlock source={JSON.stringify(value, null, 2)} kind="text" lines={60} label={label} className="action" />
);
