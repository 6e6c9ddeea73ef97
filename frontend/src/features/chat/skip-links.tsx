import { t } from 'virtual:texts/chat';

/** For the keyboard: past the sidebar, and past the messages. Seen only while they have the focus. */
export const SkipLinks = () => (
  <>
    <SkipLink to="[data-messages], main">{t('skipToMessages')}</SkipLink>
    <SkipLink to="[data-composer]">{t('skipToBox')}</SkipLink>
  </>
);

/** A button, because a link would change the address, which names the conversation. */
export const SkipLink = ({ to, children }: { to: string; children: string }) => (
  <button
    type="button"
    onClick={() => document.querySelector<HTMLElement>(to)?.focus()}
    className="sr-only rounded-sm border border-control bg-raised px-4 py-2 text-sm font-medium text-ink shadow-float focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-4 focus:py-2"
  >
    {children}
  </button>
);
