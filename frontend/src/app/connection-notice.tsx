import { Wifi, WifiOff } from 'lucide-react';
import { useConnection } from '../lib/online.ts';
import { Banner } from '../ui/banner.tsx';

/** Stays while the browser is offline, and says for 3 s that it is back (docs/product.md, 'Notices'). */
export function ConnectionNotice() {
  const connection = useConnection();
  return (
    <output className="pointer-events-none fixed inset-x-0 top-3 z-50 flex justify-center px-4">
      {connection === 'offline' && (
        <Banner tone="danger" icon={<WifiOff aria-hidden="true" />} className={LOOKS}>
          You are offline. What you write is kept here.
        </Banner>
      )}
      {connection === 'back' && (
        <Banner tone="success" icon={<Wifi aria-hidden="true" />} className={LOOKS}>
          You are back online.
        </Banner>
      )}
    </output>
  );
}

const LOOKS = 'animate-rise shadow-float';
