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
    <section aria-label="Invoices" className="grid gap-2">
      <h3 className="text-sm font-medium">Invoices</h3>
      {error && !invoices && (
        <ErrorState title="The invoices could not be read" onRetry={() => void refetch()} />
      )}
      {!invoices && !error && <Skeleton className="h-24" />}
      {invoices?.length === 0 && (
        <p className="text-sm text-muted">No invoices yet. The first one comes with a payment.</p>
      )}
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
            aria-label={`View the invoice of ${day}`}
            className="inline-flex items-center gap-1.5 rounded-sm text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11 pointer-coarse:min-w-6 pointer-coarse:justify-end"
          >
            <span className="max-sm:hidden">View</span>
            <ExternalLink aria-hidden="true" className="size-3.5" />
          </a>
        )}
      </div>
    </li>
  );
}

const STATUS: Record<InvoiceStatus, { label: string; looks: string }> = {
  paid: { label: 'Paid', looks: 'bg-success-soft text-success' },
  open: { label: 'Open', looks: 'bg-accent-soft text-accent' },
  failed: { label: 'Failed', looks: 'bg-danger-soft text-danger' },
  refunded: { label: 'Refunded', looks: 'bg-hover text-muted' },
  partially_refunded: { label: 'Partly refunded', looks: 'bg-hover text-muted' },
  disputed: { label: 'Disputed', looks: 'bg-danger-soft text-danger' },
  void: { label: 'Void', looks: 'bg-hover text-muted' },
};

const StatusMark = ({ status }: { status: InvoiceStatus }) => (
  <span
    className={cn(
      'inline-block rounded-full px-2.5 py-0.5 text-xs font-medium whitespace-nowrap',
      STATUS[status].looks,
    )}
  >
    {STATUS[status].label}
  </span>
);
