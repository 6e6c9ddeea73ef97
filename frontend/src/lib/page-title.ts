import { useEffect } from 'react';

const PRODUCT = 'STOLAS';

let title = PRODUCT;
/** Something has ended while the tab was hidden. */
let isMarked = false;

const show = (): void => {
  document.title = isMarked ? `● ${title}` : title;
};

/** Names the browser tab after what it shows; without a name the tab has the product's name alone. */
export function usePageTitle(name: string | undefined): void {
  useEffect(() => {
    title = name ? `${name} · ${PRODUCT}` : PRODUCT;
    show();
    return () => {
      title = PRODUCT;
      show();
    };
  }, [name]);
}

/** Marks the title of a hidden tab until it is shown again. */
export function markPageTitle(): void {
  if (!document.hidden || isMarked) return;
  isMarked = true;
  show();
  const unmark = () => {
    isMarked = false;
    show();
  };
  document.addEventListener('visibilitychange', unmark, { once: true });
}
