import { t } from 'virtual:texts/markdown';
import type { ComponentProps } from 'react';
import { useContext } from 'react';
import type { Components, ExtraProps } from 'react-markdown';
import { CodeBlock } from './code-block.tsx';
import { LinkContext, LiveContext } from './contexts.ts';

type Child = NonNullable<ExtraProps['node']>['children'][number];
type Props<Tag extends keyof React.JSX.IntrinsicElements> = ComponentProps<Tag> & ExtraProps;

function Link({ node, href, children, ...rest }: Props<'a'>) {
  const special = useContext(LinkContext)(href ?? '', children);
  if (special) return special;
  // react-markdown empties addresses whose scheme is not known to be harmless.
  if (!href || !URL.canParse(href, location.href)) return <span>{children}</span>;
  const url = new URL(href, location.href);
  if (url.origin === location.origin) {
    return (
      <a {...rest} href={href}>
        {children}
      </a>
    );
  }
  return (
    <a
      {...rest}
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      data-host={hostBeside(textOf(node), url)}
    >
      {children}
    </a>
  );
}

/** The host that stands behind a link's text (markdown.css), unless the text is that address itself. */
function hostBeside(text: string, { host, pathname }: URL): string | undefined {
  const place = host || pathname;
  const [start = ''] = text
    .trim()
    .replace(/^(?:https?:\/\/|mailto:)/i, '')
    .split(/[/?#]/);
  return start.toLowerCase() === place.toLowerCase() ? undefined : place;
}

const textOf = (node: Child | undefined): string => {
  if (node?.type === 'text') return node.value;
  return node?.type === 'element' ? node.children.map(textOf).join('') : '';
};

function Image({ node: _node, alt = '', ...rest }: Props<'img'>) {
  return <img {...rest} alt={alt} loading="lazy" decoding="async" />;
}

function Table({ node: _node, ...rest }: Props<'table'>) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/prefer-tag-over-role -- what scrolls must be reachable by keyboard; no tag is a plain group
    <div className="md-table md-scroll" role="group" aria-label={t('table')} tabIndex={0}>
      <table {...rest} />
    </div>
  );
}

function Checkbox({ node: _node, checked = false }: Props<'input'>) {
  return (
    <input
      type="checkbox"
      checked={checked}
      disabled
      readOnly
      aria-label={t(checked ? 'done' : 'notDone')}
    />
  );
}

/** Code inside a list or a quote; code at the top level does not come through the parser. */
export function Pre({ node, children }: Props<'pre'>) {
  const live = useContext(LiveContext);
  const code = node?.children[0];
  if (code?.type !== 'element') return <pre>{children}</pre>;
  const text = code.children.map((child) => (child.type === 'text' ? child.value : '')).join('');
  const classes = code.properties['className'];
  const language = Array.isArray(classes) ? String(classes[0]).replace(/^language-/, '') : '';
  return <CodeBlock code={text.replace(/\n$/, '')} language={language} growing={live} />;
}

export const elements: Components = {
  a: Link,
  img: Image,
  input: Checkbox,
  pre: Pre,
  table: Table,
};
