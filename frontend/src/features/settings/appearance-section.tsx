import { Monitor, Moon, Sun } from 'lucide-react';
import { chooseTheme, useThemeChoice } from '../../lib/theme.ts';
import { cn } from '../../ui/cn.ts';
import { Section } from './section.tsx';

const THEMES = [
  { choice: 'light', label: 'Light', Icon: Sun },
  { choice: 'dark', label: 'Dark', Icon: Moon },
  { choice: 'system', label: 'System', Icon: Monitor },
] as const;

export function AppearanceSection() {
  const current = useThemeChoice();
  return (
    <Section title="Appearance" description="How STOLAS looks in all your tabs here.">
      <fieldset className="grid max-w-md grid-cols-3 gap-3">
        <legend className="sr-only">Theme</legend>
        {THEMES.map(({ choice, label, Icon }) => (
          <label
            key={choice}
            className={cn(
              'grid cursor-pointer justify-items-center gap-2 rounded-lg border px-3 py-4 text-sm font-medium transition-colors duration-150 ease-out hover:bg-hover',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-cool',
              choice === current ? 'border-accent bg-accent-soft' : 'border-control text-muted',
            )}
          >
            <input
              type="radio"
              name="theme"
              className="sr-only"
              checked={choice === current}
              onChange={() => chooseTheme(choice)}
            />
            <Icon aria-hidden="true" className="size-5" strokeWidth={1.6} />
            {label}
          </label>
        ))}
      </fieldset>
    </Section>
  );
}
