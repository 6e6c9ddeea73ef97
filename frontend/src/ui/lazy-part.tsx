import { t } from 'virtual:texts/app';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { loadCode } from '../lib/load-code.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { FloatingNote, ReloadNote, ReloadPage } from './new-version.tsx';

/**
 * What is shown when the code cannot be loaded, because the server has a later build for example: a note in the place of the part, a page,
 * a note that floats (of dialogs and menus, which have no place), or the fallback alone (which must be usable).
 */
type Missing = 'here' | 'page' | 'floating' | 'fallback';

interface PartProps {
  fallback?: ReactNode;
  /** Closes a dialog or menu: also called when the note in its stead is closed, so that it can be opened again. */
  onClose?: (() => void) | undefined;
}

interface PartOptions {
  /** Shown until the code is loaded; each use of the part may have its own. */
  fallback?: ReactNode;
  missing?: Missing;
}

/**
 * A part of the page whose code is loaded when it is first shown; a preloaded one is there in the first render. Code that cannot be loaded is
 * tried again, when the browser was offline as soon as it is online, and each time the part is mounted. An error of the part, or of its
 * load, changes nothing around it. Not React's `lazy`: that keeps a failure for ever, and below a Suspense boundary that has shown its
 * fallback, React holds content back for 300 ms.
 * @param load loads the code
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { fallback: usual = null, missing = 'here' }: PartOptions = {},
) {
  let loaded: ComponentType<Props> | undefined;
  let loading: Promise<void> | undefined;
  const preload = () => {
    if (loaded) return Promise.resolve();
    loading ??= store().finally(() => {
      loading = undefined;
    });
    return loading;
  };
  const store = async () => {
    loaded = await loadCode(load);
  };

  function LazyPart({ fallback = usual, ...props }: Props & PartProps) {
    const [Content, setContent] = useState(() => loaded);
    const { onClose } = props as PartProps;
    const [isMissing, setMissing] = useState(false);
    useEffect(() => {
      if (Content) return undefined;
      const show = () => void preload().then(() => setContent(() => loaded), onFailure);
      const onFailure = () => {
        if (navigator.onLine) setMissing(true);
        else window.addEventListener('online', show, { once: true });
      };
      show();
      return () => window.removeEventListener('online', show);
    }, [Content]);
    if (Content) {
      return (
        <ErrorBoundary instead={<Instead of={missing} text={t('brokenPart')} onClose={onClose} />}>
          <Content {...(props as unknown as Props)} />
        </ErrorBoundary>
      );
    }
    if (!isMissing || missing === 'fallback') return fallback;
    return (
      <>
        {missing === 'floating' && fallback}
        <Instead of={missing} text={t('newVersion')} onClose={onClose} />
      </>
    );
  }
  return Object.assign(LazyPart, { preload });
}

interface InsteadProps extends Pick<PartProps, 'onClose'> {
  of: Missing;
  text: string;
}

function Instead({ of, text, onClose }: InsteadProps) {
  if (of === 'page') return <ReloadPage text={text} />;
  if (of === 'floating') return <FloatingNote text={text} onClose={onClose} />;
  return <ReloadNote text={text} />;
}
