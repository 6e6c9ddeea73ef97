import { createContext, type ReactNode } from 'react';
import type { Code } from './highlight.ts';

/** True inside the block that still grows. */
export const LiveContext = createContext(false);

/** Draws the links of the product; null for every other link. */
export const LinkContext = createContext<(href: string, content: ReactNode) => ReactNode>(
  () => null,
);

/** The elements for a code block that is an artifact. */
export interface ArtifactParts {
  /** Its name with the button that opens it; replaces the name of its language. */
  head: ReactNode;
  /** Replaces its code. */
  preview?: ReactNode;
}

/** Undefined for code that is not an artifact. */
export const ArtifactContext = createContext<(block: Code) => ArtifactParts | undefined>(
  () => undefined,
);
