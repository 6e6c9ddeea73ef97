import { t } from 'virtual:texts/subscription';
import type { Invoice, InvoiceStatus } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { formatAmount } from '../../../lib/money.ts';
import { formatDay } from '../../../lib/time.ts';
import { cn } from '../../../ui/cn.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { invoicesQuery } from '../api.ts';

/** The user's invoices, the latest first. */
export function Invoices() {
  const { data: invoices, error, refetch } = useQuery(invoicesQuery);
  return (
    <section aria-label={t('invoices')} className="grid gap-2">
      <h3 className="text-sm font-medium">{t('invoices')}</h3>
      {error && !invoices && (
        <ErrorState title={t('invoicesNotRead')} onRetry={() => void refetch()} />
      )}
      {!invoices && !error && <Skeleton className="h-24" />}
      {invoices?.length === 0 && <p className="text-sm text-muted">{t('noInvoices')}</p>}
      {invoices && invoices.length > 0 && (
        <ul className="divide-y divide-line border-y border-line">
          {invoices.map((invoice) => (
            <InvoiceItem key={invoice.id} invoice={invoice} />
          ))}
        </ul>
      )}
    </section>
  );
}

function InvoiceItem({ invoice }: { invoice: Invoice }) {
  const { createdAt, amount, currency, description, number, status, url } = invoice;
  const day = formatDay(createdAt);
  return (
    <li className="flex items-center gap-4 py-2.5 text-sm">
      <div className="min-w-0 flex-1">
        <p>{day}</p>
        <p className="truncate text-muted">{description || number}</p>
      </div>
      <div className="flex flex-col items-end gap-1 sm:flex-row sm:items-center sm:gap-4">
        <p className="tabular-nums">{formatAmount(amount, currency)}</p>
        <p className="sm:w-28">
          <StatusMark status={status} />
        </p>
      </div>
      <div className="flex w-6 justify-end sm:w-16">
        {url !== null && (
          <a
            href={url}
            target="_blank"
            rel="noreferrer"
            aria-label={t('viewInvoice', { date: day })}
            className="inline-flex items-center gap-1.5 rounded-sm text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-6 pointer-coarse:justify-end"
          >
            <span className="max-sm:hidden">{t('view')}</span>
            <ExternalLink aria-hidden="true" className="size-3.5" />
          </a>
        )}
      </div>
    </li>
  );
}

const STATUS = {
  paid: { label: 'paid', looks: 'bg-success-soft text-success' },
  open: { label: 'open', looks: 'bg-accent-soft text-accent' },
  failed: { label: 'failed', looks: 'bg-danger-soft text-danger' },
  refunded: { label: 'refunded', looks: 'bg-hover text-muted' },
  partially_refunded: { label: 'partlyRefunded', looks: 'bg-hover text-muted' },
  disputed: { label: 'disputed', looks: 'bg-danger-soft text-danger' },
  void: { label: 'void', looks: 'bg-hover text-muted' },
} as const satisfies Record<InvoiceStatus, unknown>;

const StatusMark = ({ status }: { status: InvoiceStatus }) => (
  <span
    className={cn(
      'inline-block rounded-full px-2.5 py-0.5 text-xs font-medium whitespace-nowrap',
      STATUS[status].looks,
    )}
  >
    {t(STATUS[status].label)}
  </span>
);
