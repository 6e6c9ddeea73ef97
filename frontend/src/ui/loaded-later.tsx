import { type ComponentType, type ReactNode, useEffect, useState } from 'react';

/**
 * A component whose code is loaded when it is first shown; a preloaded one is there in the first render. Not React's `lazy`:
 * below a Suspense boundary that has shown its fallback, React holds content back for 300 ms.
 * @param load loads the code; what fails while the browser is offline is loaded when it is online again, any other failure goes to the
 * error boundary
 * @param fallback what is shown meanwhile
 */
export function loadedLater<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: ReactNode,
) {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    loaded ??= await load();
  };
  function LoadedLater(props: Props) {
    const [Content, setContent] = useState(() => loaded);
    useEffect(() => {
      if (Content) return undefined;
      const show = () => void preload().then(() => setContent(() => loaded), onFailure);
      const onFailure = (error: unknown) => {
        if (!navigator.onLine) window.addEventListener('online', show, { once: true });
        else {
          setContent(() => {
            throw error;
          });
        }
      };
      show();
      return () => window.removeEventListener('online', show);
    }, [Content]);
    return Content ? <Content {...props} /> : fallback;
  }
  return Object.assign(LoadedLater, { preload });
}
