import { useEffect, useMemo, useState } from 'react';

/** A picture by its bytes, within the size that browsers can decode. */
export function Picture({ bytes: content, type, name }: { bytes: Uint8Array; type: string; name: string }) {
  const url = useMemo(
    () => URL.createObjectURL(new Blob([content as Uint8Array<ArrayBuffer>], { type })),
    [content, type],
  );
  const [large, setLarge] = useState(false);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  if (large) return <p className="muted">The picture has more than 25 million points; download it instead.</p>;
  return (
    <img
      src={url}
      alt={name}
      onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
        naturalWidth * naturalHeight > 25e6 && setLarge(true)
      }
    />
  );
}
