import { useEffect, useState } from 'react';

// docs/product.md, 'Chat' and 'Markdown'.
const COPIED_MS = 2_000;

/** Whether something was copied in the last 2 s, for the button that copies, and the function that says so. */
export function useCopied(): [copied: boolean, onCopied: () => void] {
  // Each copy starts the time again.
  const [copies, setCopies] = useState(0);
  useEffect(() => {
    if (copies === 0) return undefined;
    const timer = setTimeout(() => setCopies(0), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copies]);
  return [copies > 0, () => setCopies((before) => before + 1)];
}
