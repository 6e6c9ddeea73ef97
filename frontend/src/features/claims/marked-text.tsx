import { t } from 'virtual:texts/claims';
import type { ClaimsCheck, ReplyClaim } from '@stolas/backend/contract';
import {
  type ComponentProps,
  createContext,
  useContext,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { ExtraProps } from 'react-markdown';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { hasFormula } from '../../ui/markdown/math/formulas.ts';
import { Parsed } from '../../ui/markdown/parsed.tsx';
import type { Extension } from '../../ui/markdown/render.ts';
import { Popover } from '../../ui/popover.tsx';
import { ClaimList, VerdictIcon } from './claim-list.tsx';
import { rehypeClaims, spansOf } from './rehype-claims.ts';
import { verdictOf, worstOf } from './verdicts.ts';
import './claims.css';

const ClaimsContext = createContext<readonly ReplyClaim[]>([]);

interface MarkedTextProps {
  text: string;
  start: number;
  check: ClaimsCheck;
}

/**
 * A part of a reply whose claims are underlined, each verdict in a pattern of its own; a press shows the quotations. A text with
 * formulas, which are rewritten before they are parsed, has no marks: its claims are in the list below it.
 */
export function MarkedText({ text, start, check: { claims } }: MarkedTextProps) {
  const id = useId();
  const extension = useMemo((): Extension => {
    const spans = spansOf(claims, start, text.length);
    return {
      prepare: (source) => source,
      components: { span: ClaimText, button: ClaimButton },
      remarkPlugins: [],
      rehypePlugins: [[rehypeClaims, { source: text, spans }]],
    };
  }, [claims, start, text]);
  // Positions refer to the stored text.
  if (hasFormula(text) || text.includes('\r')) return <Markdown text={text} />;
  return (
    <ClaimsContext value={claims}>
      <div className="markdown">
        <Parsed text={text} idPrefix={`${id}-`} extension={extension} />
      </div>
    </ClaimsContext>
  );
}

type Props<Tag extends 'span' | 'button'> = ComponentProps<Tag> & ExtraProps;

const idsOf = (node: ExtraProps['node']): string => String(node?.properties['dataClaims'] ?? '');

/** The button behind the text does the same for the keyboard. */
function ClaimText({ node, ...rest }: Props<'span'>) {
  const ids = idsOf(node);
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions -- the button behind it is the control
    <span
      {...rest}
      onClick={({ currentTarget }) => {
        if (document.getSelection()?.isCollapsed === false) return;
        currentTarget
          .closest('.markdown')
          ?.querySelector<HTMLButtonElement>(`button[data-claims="${ids}"]`)
          ?.click();
      }}
    />
  );
}

function ClaimButton({ node }: Props<'button'>) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const ids = idsOf(node);
  const claims = useContext(ClaimsContext).filter(({ id }) => ids.split(' ').includes(id));
  const kind = worstOf(claims);
  return (
    <>
      <button
        ref={button}
        type="button"
        data-claims={ids}
        aria-label={t(`${kind}Mark`)}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="relative mx-0.5 inline-flex size-4.5 items-center justify-center rounded-full align-[-0.15em] transition-colors duration-150 ease-out after:absolute after:-inset-1 hover:bg-hover pointer-coarse:after:-inset-2.5"
      >
        <VerdictIcon verdict={verdictOf(kind)} className="size-3.5" />
      </button>
      {isOpen && (
        <Popover button={button} label={t(kind)} onClose={() => setOpen(false)} className="w-80">
          <ClaimList claims={claims} />
        </Popover>
      )}
    </>
  );
}
