import { type ReactNode, useId } from 'react';

export { Row } from '../../ui/row.tsx';

interface SectionProps {
  title: string;
  description?: string;
  children: ReactNode;
}

/** One section of the settings: title and description on the left, controls on the right. */
export function Section({ title, description, children }: SectionProps) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-10 gap-y-4 border-t border-line py-8 first-of-type:border-t-0 md:grid-cols-[14rem_1fr]"
    >
      <div>
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {description && <p className="mt-1 text-sm text-muted">{description}</p>}
      </div>
      <div className="grid min-w-0 content-start gap-4">{children}</div>
    </section>
  );
}
