import { Check } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { cn } from '../../ui/cn.ts';
import type { Plan } from './plans.ts';

interface PlanCardProps {
  plan: Plan;
  current: boolean;
  /** The plan that the user was about to choose: its button takes the focus. */
  resumed: boolean;
  onChoose: () => void;
}

export function PlanCard({ plan, current, resumed, onChoose }: PlanCardProps) {
  const { name, price, description, features, recommended } = plan;
  return (
    <section
      aria-label={name}
      className={cn(
        'flex flex-col rounded-lg border p-6 sm:p-8',
        recommended ? 'border-accent bg-surface' : 'border-line',
      )}
    >
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">{name}</h2>
        {recommended && (
          <span className="rounded-full bg-accent-soft px-3 py-1 text-xs font-semibold tracking-wide text-accent">
            RECOMMENDED
          </span>
        )}
      </div>
      <p className="mt-1 text-sm text-muted">{description}</p>
      <p className="mt-5">
        <span className="text-xl font-semibold">${price}</span>
        <span className="text-sm text-muted">/month</span>
      </p>
      <ul className="mt-5 mb-8 grid gap-2.5 text-sm">
        {features.map((feature) => (
          <li key={feature} className="flex items-start gap-2.5">
            <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-accent" />
            {feature}
          </li>
        ))}
      </ul>
      <Button
        variant={recommended ? 'primary' : 'secondary'}
        size="lg"
        className="mt-auto"
        disabled={current}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user has just been sent back to it
        autoFocus={resumed}
        onClick={onChoose}
      >
        {current ? 'Current Plan' : `Choose ${name}`}
      </Button>
    </section>
  );
}
