import { type ChildNode, type Document, Element, type ParentNode, Text } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { ownEntry } from '../../../text/own-entry.ts';
import { UNREAD_OBJECT, UNREAD_PICTURE } from '../cut.ts';
import { childOf, elementsOf, isElement } from '../parts.ts';
import { type ListNumbers, storedNumber } from './numbers.ts';

/** What a page does not show, or what is written elsewhere. */
const DROPPED = new Set(
  (
    'office:forms text:tracked-changes text:sequence-decls text:variable-decls text:user-field-decls office:annotation-end ' +
    'office:event-listeners office:binary-data draw:enhanced-geometry draw:page-thumbnail presentation:notes anim:par ' +
    'presentation:settings table:table-column table:table-columns table:covered-table-cell table:shapes text:soft-page-break ' +
    'text:table-of-content-source text:bibliography-source text:alphabetical-index-source text:illustration-index-source ' +
    'text:table-index-source text:object-index-source text:user-index-source text:number'
  ).split(' '),
);

const TAGS: Record<string, string> = {
  'text:p': 'p',
  'text:list-header': 'div',
  'text:line-break': 'br',
  'table:table': 'table',
  'table:table-header-rows': 'tbody',
  'table:table-rows': 'tbody',
  'table:table-row-group': 'tbody',
  'table:table-row': 'tr',
  'table:table-cell': 'td',
};

/** Repeated spaces in a text. */
const MAX_SPACES = 100;

export interface OdfContext {
  numbers: ListNumbers;
  hiddenStyles: ReadonlySet<string>;
  /** What an embedded object shows; null for one that cannot be read. */
  objectOf: (path: string) => ParentNode | null;
}

interface Place {
  list?: { style: string; level: number };
  isInCell?: boolean;
  /** In the frame of an object, which has a picture of itself beside it. */
  isOfObject?: boolean;
}

/** A part of an OpenDocument text or presentation as HTML, with its footnotes and comments at the end. */
export const htmlOf = (root: Element, context: OdfContext): string =>
  new PartConverter(context).htmlOf(root);

class PartConverter {
  private readonly notes: Element[] = [];
  private readonly comments: Element[] = [];

  constructor(private readonly context: OdfContext) {}

  htmlOf(root: Element): string {
    const body = this.convertAll(root, {});
    const { notes, comments } = this;
    const title = comments.length > 0 ? [new Element('p', {}, [new Text('Comments:')])] : [];
    return DomUtils.getOuterHTML([...body, ...notes, ...title, ...comments]);
  }

  private convertAll(node: ParentNode, place: Place): ChildNode[] {
    return node.children.flatMap((child) =>
      isElement(child) ? this.convert(child, place) : [child],
    );
  }

  private convert(node: Element, place: Place): ChildNode[] {
    const { name, attribs } = node;
    if (DROPPED.has(name) || this.isHidden(node)) return [];
    switch (name) {
      case 'text:s':
        return [new Text(' '.repeat(Math.min(Number(attribs['text:c'] ?? 1) || 1, MAX_SPACES)))];
      case 'text:tab':
        return [new Text('\t')];
      case 'text:h':
        return this.heading(node, place);
      case 'text:list':
        return this.list(node, place);
      case 'text:note':
        return this.note(node, place);
      case 'office:annotation':
        this.comments.push(new Element('p', {}, [new Text(commentOf(node))]));
        return [];
      case 'text:ruby-text':
        return [new Text(` (${DomUtils.textContent(node)})`)];
      case 'draw:object': {
        const shown = this.context.objectOf(attribs['xlink:href'] ?? '');
        const inner = this.convertAll(shown ?? node, {});
        return inner.length > 0 ? inner : [new Text(UNREAD_OBJECT)];
      }
      case 'draw:path':
      case 'draw:polygon':
        return [new Text(UNREAD_PICTURE), ...this.convertAll(node, place)];
      case 'draw:object-ole':
      case 'draw:plugin':
      case 'draw:applet':
        return [new Text(UNREAD_OBJECT)];
      case 'draw:image':
        return place.isOfObject ? [] : [new Element('img', {})];
      case 'draw:frame': {
        const isOfObject = ['draw:object', 'draw:object-ole'].some((of) => childOf(node, of));
        return [new Element('div', {}, this.convertAll(node, { ...place, isOfObject }))];
      }
      default: {
        const isCell = name === 'table:table-cell';
        const children = this.convertAll(node, isCell ? { isInCell: true } : place);
        return [
          new Element(
            ownEntry(TAGS, name) ?? otherTag(node),
            isCell ? spansOf(node) : {},
            children,
          ),
        ];
      }
    }
  }

  private isHidden({ name, attribs }: Element): boolean {
    const style = name === 'text:span' ? attribs['text:style-name'] : undefined;
    return (
      attribs['text:display'] === 'none' ||
      (style !== undefined && this.context.hiddenStyles.has(style))
    );
  }

  private heading(node: Element, place: Place): ChildNode[] {
    const level = Math.max(1, Number(node.attribs['text:outline-level'] ?? 1) || 1);
    const counted =
      place.list || node.attribs['text:is-list-header'] === 'true'
        ? ''
        : this.context.numbers.nextHeading(level - 1);
    const number = numberText(node, counted);
    return [
      new Element(`h${Math.min(level, 6)}`, {}, [...number, ...this.convertAll(node, place)]),
    ];
  }

  private list(node: Element, place: Place): ChildNode[] {
    const { numbers } = this.context;
    const outer = place.list;
    const style = node.attribs['text:style-name'] ?? outer?.style ?? '';
    const level = outer ? outer.level + 1 : 0;
    const { 'text:continue-numbering': isContinued, 'text:continue-list': continued } =
      node.attribs;
    if (!outer && isContinued !== 'true' && continued === undefined) numbers.begin(style);
    const inner = { ...place, list: { style, level } };
    const items = node.children.filter(isElement);
    // Presentations write each paragraph of a cell as a list, and numbered headings of texts are lists as well.
    const isText =
      numbers.isNumbered(style, level) ||
      (place.isInCell === true && items.length === 1) ||
      elementsOf(node, 'text:h').length > 0;
    const children = items.map((item) => {
      const number = item.name === 'text:list-item' ? this.itemNumber(item, style, level) : '';
      const content = this.convertAll(item, inner);
      const [first] = content;
      // Markdown sets lists of paragraphs apart.
      if (!isText && first && isElement(first) && first.name === 'p') first.name = 'span';
      prependText(content, numberText(item, number));
      return new Element(isText ? 'div' : 'li', {}, content);
    });
    return [new Element(isText ? 'div' : 'ul', {}, children)];
  }

  private itemNumber(item: Element, style: string, level: number): string {
    const [first] = item.children.filter(isElement);
    // An item that only holds a list of the next level has no number.
    if (!first || first.name === 'text:list') return '';
    const start = item.attribs['text:start-value'];
    return this.context.numbers.next(style, level, start === undefined ? undefined : Number(start));
  }

  private note(node: Element, place: Place): ChildNode[] {
    const [citation] = elementsOf(node, 'text:note-citation');
    const [body] = elementsOf(node, 'text:note-body');
    const mark = `[${citation ? DomUtils.textContent(citation) : this.notes.length + 1}]`;
    const at = this.notes.length;
    this.notes.push(new Element('div', {}, []));
    const content = body ? this.convertAll(body, { ...place, isInCell: false }) : [];
    prependText(content, [new Text(`${mark} `)]);
    this.notes[at] = new Element('div', {}, content);
    return [new Text(mark)];
  }
}

/** Text and fields stand within a paragraph; drawings and sections do not. */
const otherTag = ({ name }: Element): string =>
  /^(?:text:(?:section|.*index|.*content|index-title|bibliography$|numbered-paragraph)|draw:|office:|svg:|chart:)/.test(
    name,
  )
    ? 'div'
    : 'span';

const spansOf = ({ attribs }: Element): Record<string, string> => ({
  colspan:
    attribs['table:number-columns-spanned'] ?? attribs['table:number-columns-repeated'] ?? '1',
  rowspan: attribs['table:number-rows-spanned'] ?? '1',
});

function numberText(item: Element, counted: string): Text[] {
  const stored = storedNumber(item);
  const number = stored ? DomUtils.textContent(stored).trim() : counted;
  return number ? [new Text(`${number} `)] : [];
}

/** Puts a text before the first paragraph of some nodes. */
function prependText(nodes: ChildNode[], [text]: Text[]): void {
  if (!text) return;
  const [first] = nodes;
  if (first && isElement(first)) DomUtils.prependChild(first, text);
  else nodes.unshift(text);
}

function commentOf(comment: Element): string {
  const parts = (name: string) =>
    elementsOf(comment, name).map((element) => DomUtils.textContent(element).trim());
  return [...parts('dc:creator'), parts('text:p').join(' ')].filter((part) => part).join(': ');
}

/** What an embedded object shows: a formula as text, the title and the numbers of a chart, or its tables and paragraphs. */
export function shownBy(object: Document): ParentNode | null {
  const [annotation] = elementsOf(object, 'annotation');
  if (annotation)
    return new Element('span', {}, [new Text(` ${DomUtils.textContent(annotation)} `)]);
  const [body] = elementsOf(object, 'office:body');
  return body ?? null;
}
