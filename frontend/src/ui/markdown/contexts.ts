import { createContext, type ReactNode } from 'react';
import type { Code } from './highlight.ts';

/** True inside the block that still grows. */
export const LiveContext = createContext(false);

/** Draws the links that mean something to the product; null for every other link. */
export const LinkContext = createContext<(href: string, content: ReactNode) => ReactNode>(
  () => null,
);

/** What the product shows of a code block that is an artifact. */
export interface ArtifactParts {
  /** Names it and opens it; in place of the name of its language. */
  head: ReactNode;
  /** Stands in place of its code. */
  preview?: ReactNode;
}

/** Undefined for code that is only read. */
export const ArtifactContext = createContext<(block: Code) => ArtifactParts | undefined>(
  () => undefined,
);
