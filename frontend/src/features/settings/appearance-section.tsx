import { Moon, Sun } from 'lucide-react';
import { toggleTheme, useTheme } from '../../lib/theme.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from './section.tsx';

const THEMES = [
  { theme: 'dark', label: 'Dark Mode', Icon: Moon },
  { theme: 'light', label: 'Light Mode', Icon: Sun },
] as const;

export function AppearanceSection() {
  const current = useTheme();
  return (
    <Section title="Appearance">
      <div className="flex flex-wrap gap-3">
        {THEMES.map(({ theme, label, Icon }) => (
          <Button
            key={theme}
            aria-pressed={theme === current}
            variant={theme === current ? 'primary' : 'secondary'}
            onClick={() => {
              if (theme !== current) toggleTheme();
            }}
          >
            <Icon aria-hidden="true" className="size-4" />
            {label}
          </Button>
        ))}
      </div>
    </Section>
  );
}
