import { Fragment, type ReactElement, type ReactNode } from 'react';

type Show = (content: string) => ReactNode;

/**
 * A text with elements in it: in `<link>all plans</link>`, 'all plans' is replaced by the result of `tags.link`. An
 * element instead of a function replaces its tag: `<field></field>`. Tags do not nest.
 * @param plain shows the text around the elements
 */
export const rich = (
  text: string,
  tags: Readonly<Record<string, Show | ReactElement>>,
  plain: Show = (content) => content,
): ReactNode[] =>
  text.split(/(<\w+>.*?<\/\w+>)/).map((piece, index) => {
    const [, name = '', content = ''] = /^<(\w+)>(.*)<\/\w+>$/.exec(piece) ?? [];
    const tag = tags[name];
    const shown = typeof tag === 'function' ? tag(content) : tag;
    // oxlint-disable-next-line react/no-array-index-key -- the pieces of a text never change their order
    return <Fragment key={index}>{shown ?? plain(piece)}</Fragment>;
  });
