import { useEffect } from 'react';

const PRODUCT = 'STOLAS';

let title = PRODUCT;
/** A reply has ended while the tab was hidden. */
let isMarked = false;

const show = (): void => {
  document.title = isMarked ? `● ${title}` : title;
};

/** Sets the name of the browser tab; without a name it is the product's name. */
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
