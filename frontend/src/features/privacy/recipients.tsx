import { t } from 'virtual:texts/privacy';
import type { PrivacyStatement, Recipient, RecipientKind } from '@stolas/backend/contract';
import { rich } from '../../i18n/rich.tsx';

/** The recipients of data in the server's configuration. */
export const Recipients = ({ statement }: { statement: PrivacyStatement }) => (
  <>
    <ul className="mt-6 grid gap-6">
      {statement.recipients.map((recipient) => (
        <li key={recipient.kind}>
          <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <h3 className="font-medium">{t(recipient.kind)}</h3>
            <p className={recipient.place === 'provider' ? 'font-mono text-sm' : 'text-sm'}>
              {placeOf(recipient)}
            </p>
          </div>
          {textsOf(recipient, statement).map((text) => (
            <p key={text} className="mt-1.5 text-sm text-muted">
              {rich(text, { code: asCode })}
            </p>
          ))}
        </li>
      ))}
    </ul>
    <p className="mt-6 text-sm text-muted">{statement.hasOcr ? t('ocrOn') : t('ocrOff')}</p>
  </>
);

const asCode = (text: string) => <code className="font-mono text-ink">{text}</code>;

const placeOf = ({ place, host }: Recipient): string =>
  place === 'provider' ? (host ?? '') : t(place);

const WHAT = {
  model: 'modelWhat',
  embeddings: 'embeddingsWhat',
  payments: 'paymentsWhat',
  mail: 'mailWhat',
  google: 'signInWhat',
  replit: 'signInWhat',
  objects: 'objectsWhat',
} as const satisfies Record<RecipientKind, string>;

function textsOf({ kind, place, model = '' }: Recipient, statement: PrivacyStatement): string[] {
  const name = model ? [t('modelName', { model })] : [];
  if (kind === 'model')
    return [t('modelWhat'), ...name, statement.isDemoModel ? t('modelDemo') : t('modelStore')];
  if (kind === 'payments' && statement.isTestPayment) return [t('paymentsTest')];
  if (kind === 'mail' && place === 'machine') return [t('mailWhat'), t('mailFolder')];
  return [t(WHAT[kind]), ...name];
}
