import type { Badge } from '@stolas/backend/contract';
import { Check } from 'lucide-react';
import { shownBadges } from './landing-settings.ts';

const LABELS: Record<Badge, string> = {
  soc2: 'SOC 2',
  gdpr: 'GDPR ready',
  uptime: '99.9% uptime',
  cdn: 'Global CDN',
};

/** What the operator holds (`LANDING_BADGES`). */
export function Badges() {
  const badges = shownBadges();
  return (
    badges.length > 0 && (
      <ul
        aria-label="Assurances"
        className="mt-12 flex flex-wrap justify-center gap-x-8 gap-y-3 text-sm font-medium text-muted"
      >
        {badges.map((badge) => (
          <li key={badge} className="flex items-center gap-2">
            <Check aria-hidden="true" className="size-4 text-gold" />
            {LABELS[badge]}
          </li>
        ))}
      </ul>
    )
  );
}
