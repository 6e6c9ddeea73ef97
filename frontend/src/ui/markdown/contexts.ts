import { createContext, type ReactNode } from 'react';

/** True inside the block that still grows. */
export const LiveContext = createContext(false);

/** Draws the links that mean something to the product; null for every other link. */
export const LinkContext = createContext<(href: string, content: ReactNode) => ReactNode>(
  () => null,
);

/** Draws what the product offers for a code block that is complete, beside its other buttons. */
export const CodeActionsContext = createContext<(code: string, language: string) => ReactNode>(
  () => null,
);
