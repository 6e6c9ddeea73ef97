import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/viewer';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';

interface DrawnPictureProps {
  src: string;
  /** Called when the picture has loaded or failed. */
  onSettled: () => void;
}

/** A picture that fills its place. The former one stays until the next one has loaded. */
export function DrawnPicture({ src, onSettled }: DrawnPictureProps) {
  const [shown, setShown] = useState<string | null>(null);
  const [failed, setFailed] = useState<string | null>(null);
  if (failed === src) {
    return (
      <div className="absolute inset-0 grid place-content-center justify-items-center gap-3 p-4 text-center text-sm text-muted">
        <p>{t('notDrawn')}</p>
        <Button size="sm" onClick={() => setFailed(null)}>
          {common('tryAgain')}
        </Button>
      </div>
    );
  }
  const settle = (isShown: boolean) => {
    if (isShown) setShown(src);
    else setFailed(src);
    onSettled();
  };
  const sources = shown === null || shown === src ? [src] : [shown, src];
  return sources.map((one) => (
    <img
      key={one}
      ref={abandonWhenRemoved}
      src={one}
      alt=""
      decoding="async"
      draggable={false}
      onLoad={() => settle(true)}
      onError={() => settle(false)}
      className={cn('absolute inset-0 size-full', shown === null && 'animate-shimmer bg-hover')}
    />
  ));
}

/** Otherwise the browser would continue to load a removed picture, and the server to draw it. */
const abandonWhenRemoved = (image: HTMLImageElement | null) => () =>
  queueMicrotask(() => {
    if (image?.isConnected === false) image.removeAttribute('src');
  });
