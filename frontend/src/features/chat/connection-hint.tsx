import { t } from 'virtual:texts/chat';
import { LoaderCircle, RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useIsOnline } from '../../lib/online.ts';
import { useConnection } from '../../realtime/index.ts';

const HINT_AFTER_MS = 1_500;

/** Shown only while the socket has been missing for longer than a moment, also after the start of the page. */
export function ConnectionHint() {
  const connection = useConnection();
  const isOnline = useIsOnline();
  // Offline, the notice about it is enough.
  const isMissing = connection !== 'connected' && isOnline;
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isMissing) return undefined;
    const timer = setTimeout(() => setDue(true), HINT_AFTER_MS);
    return () => {
      clearTimeout(timer);
      setDue(false);
    };
  }, [isMissing]);
  return (
    <output className="max-w-1/2 shrink-0 text-xs text-muted">
      {isDue && (
        <span className="flex animate-fade items-center gap-1.5">
          {connection === 'polling' ? (
            <>
              <RefreshCw aria-hidden="true" className="size-3.5 shrink-0" />
              {t('updatesBlocked')}
            </>
          ) : (
            <>
              <LoaderCircle aria-hidden="true" className="size-3.5 shrink-0 animate-spin" />
              {t('reconnecting')}
            </>
          )}
        </span>
      )}
    </output>
  );
}
