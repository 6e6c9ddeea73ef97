import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/memory';
import { MAX_MEMORIES, type Memory, type MemoryScope } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Brain, SearchX } from 'lucide-react';
import { useState } from 'react';
import { fold } from '../../lib/fold.ts';
import { formatNumber } from '../../lib/number.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState } from '../../ui/states.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { memoriesQuery } from './api.ts';
import { MemoryRow } from './memory-row.tsx';
import { PendingRow } from './pending-row.tsx';
import { WholeActions } from './whole-actions.tsx';

/** The scopes that memories have so far. */
const SCOPES = { user: 'scopeUser', persona: 'scopePersona' } as const;

/** /memory (docs/product.md, 'Memory'): the user's memories, to find, approve, change and delete. */
export const MemoryPage = () => (
  <TooltipProvider>
    <Page>
      <Content />
    </Page>
  </TooltipProvider>
);

function Content() {
  const [search, setSearch] = useState('');
  const [scope, setScope] = useState<MemoryScope | ''>('');
  const { data, isError, refetch } = useQuery(memoriesQuery());
  const isEmpty = data?.memories.length === 0;
  const { data: former } = useQuery({ ...memoriesQuery('superseded'), enabled: isEmpty });
  const hasAny = !isEmpty || Boolean(former?.memories.length);
  const fits = (memory: Memory) =>
    (scope === '' || memory.scope === scope) && hasWords(memory.text, search);
  const found = data?.memories.filter(fits);
  const pending = found?.filter(({ state }) => state === 'pending') ?? [];
  const active = found?.filter(({ state }) => state === 'active') ?? [];
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-xl font-semibold">{common('memory')}</h1>
        {data && (
          <p className="text-sm text-muted tabular-nums">
            {t('count', { count: formatNumber(data.count), limit: formatNumber(MAX_MEMORIES) })}
          </p>
        )}
      </div>
      <p className="mt-2 text-sm text-muted">{t('intro')}</p>
      <div className="mt-6 flex flex-wrap gap-3">
        <SearchField
          label={t('search')}
          placeholder={t('searchHint')}
          value={search}
          onChange={setSearch}
          className="min-w-48 flex-1"
        />
        <Select
          aria-label={t('scope')}
          value={scope}
          onChange={({ target }) => setScope(target.value as MemoryScope | '')}
        >
          <option value="">{t('allScopes')}</option>
          {Object.entries(SCOPES).map(([value, name]) => (
            <option key={value} value={value}>
              {t(name)}
            </option>
          ))}
        </Select>
      </div>
      {isError && !data && (
        <ErrorState
          className="py-16"
          title={t('readFailed')}
          description={common('checkConnection')}
          onRetry={() => void refetch()}
        />
      )}
      {!data && !isError && <Loading label={t('loading')} />}
      {pending.length > 0 && <Pending memories={pending} />}
      {active.length > 0 && <List title={t('active')} memories={active} />}
      {data && found?.length === 0 && <Nothing isSearch={!isEmpty} />}
      {hasAny && <Superseded fits={fits} />}
      <WholeActions hasAny={hasAny} />
    </>
  );
}

const Pending = ({ memories }: { memories: readonly Memory[] }) => (
  <section className="mt-8 rounded-lg border border-line p-4">
    <h2 className="font-medium">{t('pending')}</h2>
    <p className="mt-1 text-sm text-muted">{t('pendingHint')}</p>
    <ul className="mt-3 grid divide-y divide-line">
      {memories.map((memory) => (
        <PendingRow key={memory.id} memory={memory} />
      ))}
    </ul>
  </section>
);

const List = ({ title, memories }: { title: string; memories: readonly Memory[] }) => (
  <section className="mt-8">
    <h2 className="sr-only">{title}</h2>
    <ul className="grid divide-y divide-line">
      {memories
        .toSorted((a, b) => Number(b.isPinned) - Number(a.isPinned))
        .map((memory) => (
          <MemoryRow key={memory.id} memory={memory} />
        ))}
    </ul>
  </section>
);

const Nothing = ({ isSearch }: { isSearch: boolean }) =>
  isSearch ? (
    <EmptyState className="py-16" icon={<SearchX aria-hidden="true" />} title={t('nothingFound')} />
  ) : (
    <EmptyState
      className="py-16"
      icon={<Brain aria-hidden="true" />}
      title={t('empty')}
      description={t('emptyHint')}
    />
  );

/** Read when they are asked for. */
function Superseded({ fits }: { fits: (memory: Memory) => boolean }) {
  const [isShown, setShown] = useState(false);
  const { data } = useQuery({ ...memoriesQuery('superseded'), enabled: isShown });
  if (!isShown)
    return (
      <Button variant="ghost" size="sm" className="mt-6 -ml-3" onClick={() => setShown(true)}>
        {t('showSuperseded')}
      </Button>
    );
  const found = data?.memories.filter(fits) ?? [];
  return (
    <section className="mt-8 text-muted">
      <h2 className="text-sm font-medium">{t('superseded')}</h2>
      <ul className="grid divide-y divide-line">
        {found.map((memory) => (
          <MemoryRow key={memory.id} memory={memory} />
        ))}
      </ul>
      {data && found.length === 0 && <p className="mt-2 text-sm">{t('nothingFound')}</p>}
    </section>
  );
}

function hasWords(text: string, search: string): boolean {
  const folded = fold(text);
  return fold(search)
    .split(/\s+/)
    .every((word) => folded.includes(word));
}
