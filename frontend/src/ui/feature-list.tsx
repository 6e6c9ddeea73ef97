import { Check, Clock } from 'lucide-react';

interface FeatureListProps {
  features: readonly {
    text: string;
    /** Marked as coming, without a check mark. */
    isSoon: boolean;
    /** Named beside the feature. */
    contact: { href: string; label: string } | null;
  }[];
  /** 'Coming soon'. */
  soonLabel: string;
}

/** The features of a plan, and those to come. */
export const FeatureList = ({ features, soonLabel }: FeatureListProps) => (
  <ul className="mt-5 mb-8 grid gap-2.5 text-sm">
    {features.map(({ text, isSoon, contact }) => (
      <li key={text} className="flex items-start gap-2.5">
        {isSoon ? (
          <Clock aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" />
        ) : (
          <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
        )}
        <span className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className={isSoon ? 'text-muted' : undefined}>{text}</span>
          {isSoon && (
            <span className="rounded-full border border-line px-2 text-xs text-muted">
              {soonLabel}
            </span>
          )}
          {contact && (
            <a
              href={contact.href}
              className="rounded-sm break-all text-cool underline-offset-4 hover:underline"
            >
              {contact.label}
            </a>
          )}
        </span>
      </li>
    ))}
  </ul>
);
