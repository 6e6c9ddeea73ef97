import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/viewer';
import type { FileKind, FilePage } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { cn } from '../../../ui/cn.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { pageNumber } from '../../../ui/page-number.ts';
import { ErrorState } from '../../../ui/states.tsx';
import { pageQuery } from '../api.ts';
import type { FilePlace } from '../place.ts';
import { MarkedText } from './marked-text.tsx';
import { RowsTable } from './rows-table.tsx';
import { TextSkeleton } from './text-skeleton.tsx';
import { useMarkInView } from './use-mark-in-view.ts';

interface PageProps {
  place: FilePlace;
  zoom: number;
}

/** Rem at 100%. */
const TEXT_SIZE = 0.9375;
const TABLE_SIZE = 0.8125;

/** One page of text: plain text as written, Markdown rendered. */
export const TextPage = ({ place, zoom, kind }: PageProps & { kind: FileKind }) => (
  <LoadedPage place={place}>
    {(page) => <Text page={page} place={place} zoom={zoom} kind={kind} />}
  </LoadedPage>
);

/** One sheet. A table whose rows are unknown is shown as text. */
export const TablePage = ({ place, zoom }: PageProps) => (
  <LoadedPage place={place}>
    {(page) =>
      page.rows ? (
        <RowsTable
          key={place.page}
          rows={page.rows}
          columns={page.columns}
          place={place}
          fontSize={zoom * TABLE_SIZE}
        />
      ) : (
        <Text page={page} place={place} zoom={zoom} kind="text" />
      )
    }
  </LoadedPage>
);

function LoadedPage({
  place: { fileId, page: n },
  children,
}: {
  place: FilePlace;
  children: (page: FilePage) => ReactNode;
}) {
  const { data: page, isError, refetch } = useQuery(pageQuery(fileId, n));
  if (page) return children(page);
  if (!isError) return <TextSkeleton label={t('loadingPage')} />;
  return (
    <ErrorState
      className="my-auto"
      title={t('pageNotLoaded')}
      description={common('checkConnection')}
      onRetry={() => void refetch()}
    />
  );
}

interface TextProps extends PageProps {
  page: FilePage;
  kind: FileKind;
}

function Text({ page, place, zoom, kind }: TextProps) {
  const scroller = useRef<HTMLElement>(null);
  const mark = useRef<HTMLElement>(null);
  const isRendered = kind === 'markdown';
  useMarkInView(scroller, mark, `${page.n} ${isRendered}`);
  return (
    <section
      ref={scroller}
      aria-label={
        page.pages > 1
          ? t('page', { page: pageNumber({ page: page.n, label: page.label }) })
          : t('text')
      }
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain px-6 py-5 focus-visible:-outline-offset-2"
    >
      {page.text.trim() === '' && <p className="text-sm text-muted">{t('noText')}</p>}
      {isRendered ? (
        <div style={{ zoom }}>
          <Markdown text={page.text} />
        </div>
      ) : (
        <pre
          dir={kind === 'code' ? 'ltr' : 'auto'}
          style={{ fontSize: `${zoom * TEXT_SIZE}rem` }}
          className={cn(
            'mx-auto leading-relaxed',
            kind === 'code'
              ? 'min-w-max font-mono [tab-size:2] [font-variant-ligatures:none]'
              : 'max-w-prose font-sans wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]',
          )}
        >
          <MarkedText ref={mark} text={page.text} mark={place.mark} />
        </pre>
      )}
    </section>
  );
}
