import { type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  description?: string;
  children: ReactNode;
}

/** One section of the settings. */
export function Section({ title, description, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="grid gap-5 border-t border-line py-8">
      <div>
        <h2 id={id} className="text-lg font-semibold">
          {title}
        </h2>
        {description && <p className="mt-0.5 text-sm text-muted">{description}</p>}
      </div>
      <div className="grid min-w-0 content-start gap-4">{children}</div>
    </section>
  );
}
