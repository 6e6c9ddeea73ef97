import type { ExtraProps } from 'react-markdown';
import remarkMath from 'remark-math';
import { Pre } from '../elements.tsx';
import { Parsed, type ParsedProps } from '../parsed.tsx';
import type { Extension } from '../render.ts';
import { Formula } from './formula.tsx';
import { withMarkedFormulas } from './formulas.ts';

type Node = ExtraProps['node'];

/** The source of a formula, when the element is one of that class. */
function sourceOf(node: Node, className: string): string | undefined {
  const classes = node?.properties['className'];
  if (!Array.isArray(classes) || !classes.includes(className)) return undefined;
  return node?.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
}

const MATH: Extension = {
  prepare: withMarkedFormulas,
  remarkPlugins: [[remarkMath, { singleDollarTextMath: false }]],
  components: {
    code: ({ node, ...rest }) => {
      const source = sourceOf(node, 'math-inline');
      return source === undefined ? <code {...rest} /> : <Formula source={source} />;
    },
    pre: (props) => {
      const code = props.node?.children[0];
      const source = code?.type === 'element' ? sourceOf(code, 'math-display') : undefined;
      return source === undefined ? <Pre {...props} /> : <Formula source={source} display />;
    },
  },
};

/** Markdown whose formulas are typeset. */
export const MathText = (props: ParsedProps) => <Parsed {...props} extension={MATH} />;
