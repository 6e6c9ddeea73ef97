import Markdown from 'react-markdown';
import { closes, type Fence } from './fence.ts';
import { readGfm } from './read-gfm.ts';
import { isTooLarge } from './too-deep.ts';

/** A fence, and where it stands in its block. */
export interface NestedFence extends Fence {
  readonly start: number;
  readonly end: number;
}

/** What is read of the parsed text. */
interface Node {
  type: string;
  children?: Node[];
  lang?: string | null;
  value?: string;
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/** Reads the code fences in the lists and quotes of a block that is no fence, by the parser that draws them. */
export function nestedFences(block: string): NestedFence[] {
  const found: NestedFence[] = [];
  const collect = () => (tree: Node) => {
    addFences(tree, { block, found });
    // Nothing is drawn.
    tree.children = [];
  };
  if (!isTooLarge(block)) Markdown({ children: block, remarkPlugins: [readGfm, collect] });
  return found;
}

function addFences(node: Node, context: { block: string; found: NestedFence[] }): void {
  const { type, lang, value = '', position, children = [] } = node;
  for (const child of children) addFences(child, context);
  if (type !== 'code' || !lang) return;
  const { offset: start = 0 } = position?.start ?? {};
  const { offset: end = start } = position?.end ?? {};
  const source = context.block.slice(start, end);
  const marks = /^[`~]+/.exec(source)?.[0] ?? '';
  const last = source.slice(source.lastIndexOf('\n') + 1).replace(/^[\s>]+/, '');
  context.found.push({ language: lang, code: value, closed: closes(last, marks), start, end });
}
