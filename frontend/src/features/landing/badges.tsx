import { t } from 'virtual:texts/landing';
import { Check } from 'lucide-react';
import { shownBadges } from '../../lib/page-settings.ts';

/** The operator's certificates (`LANDING_BADGES`). */
export function Badges() {
  const badges = shownBadges();
  return (
    badges.length > 0 && (
      <ul
        aria-label={t('badges')}
        className="mt-12 grid grid-cols-[auto_auto] justify-center gap-x-8 gap-y-3 text-sm font-medium text-muted sm:flex"
      >
        {badges.map((badge) => (
          <li key={badge} className="flex items-center gap-2">
            <Check aria-hidden="true" className="size-4 text-gold" />
            {t(`${badge}Badge`)}
          </li>
        ))}
      </ul>
    )
  );
}
