import { useEffect, useState } from 'react';

// docs/product.md, 'Chat' and 'Markdown'.
const COPIED_MS = 2_000;

/** Whether something was copied in the last 2 s, for the button that copies, and the function that says so. */
export function useCopied(): [copied: boolean, onCopied: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => setCopied(true)];
}
