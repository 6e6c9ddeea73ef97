import { useEffect, useState } from 'react';

const BACK_NOTICE_MS = 3000;

/** `back` for 3 s after the connection has returned (docs/product.md, 'Notices'). */
type Connection = 'online' | 'offline' | 'back';

export function useConnection(): Connection {
  const [connection, setConnection] = useState<Connection>(() =>
    navigator.onLine ? 'online' : 'offline',
  );

  useEffect(() => {
    const onOffline = () => setConnection('offline');
    const onOnline = () => setConnection((was) => (was === 'offline' ? 'back' : was));
    window.addEventListener('offline', onOffline);
    window.addEventListener('online', onOnline);
    return () => {
      window.removeEventListener('offline', onOffline);
      window.removeEventListener('online', onOnline);
    };
  }, []);

  useEffect(() => {
    if (connection !== 'back') return undefined;
    const timer = setTimeout(() => setConnection('online'), BACK_NOTICE_MS);
    return () => clearTimeout(timer);
  }, [connection]);

  return connection;
}
