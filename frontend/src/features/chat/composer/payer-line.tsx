import { t } from 'virtual:texts/chat';
import { mayChat, type User } from '@stolas/backend/contract';
import { Wallet } from 'lucide-react';
import { chooseForNew } from '../sending/choices.ts';
import type { Paying } from '../sending/payer.ts';

interface PayerLineProps {
  user: User;
  paying: Paying;
}

/** Who pays, above the composer; for a new conversation the user chooses. */
export function PayerLine({ user, paying: { workspace, owner, choices } }: PayerLineProps) {
  if (!workspace && owner === undefined && choices.length === 0) return null;
  return (
    <div
      data-payer
      className="flex min-h-7 items-center gap-2 px-2 pb-1 text-xs text-muted pointer-coarse:min-h-11"
    >
      <Wallet aria-hidden="true" className="size-3.5 shrink-0" />
      {choices.length === 0 ? (
        <p className="min-w-0 truncate">
          {owner === undefined
            ? t('workspacePays', { name: workspace?.name ?? '' })
            : t('ownerPays', { name: owner })}
        </p>
      ) : (
        <select
          aria-label={t('whoPays')}
          value={workspace?.id ?? ''}
          onChange={({ target }) => chooseForNew({ workspaceId: target.value || null })}
          className="field-sizing-content h-7 max-w-full min-w-0 cursor-pointer truncate rounded-sm bg-transparent pr-1 hover:text-ink focus-within:text-ink pointer-coarse:h-11 [&_option]:bg-raised [&_option]:text-ink"
        >
          {mayChat(user) && <option value="">{t('ownPlanPays')}</option>}
          {choices.map(({ id, name }) => (
            <option key={id} value={id}>
              {t('workspacePays', { name })}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
