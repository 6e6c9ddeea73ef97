import type { ReactNode } from 'react';

/** Shows only the first characters of texts; the hidden ones keep their place, so nothing moves. */
export interface Reveal {
  text: (text: string) => ReactNode;
  /** The class of a table's row that shows with the next text. */
  row: () => string;
}

/** Reveals the first `shown` characters of the texts, in the order in which they are passed. */
export function createReveal(shown: number): Reveal {
  let left = shown;
  return {
    text: (text) => {
      const count = Math.max(0, left);
      left -= text.length;
      if (count >= text.length) return text;
      return (
        <>
          {text.slice(0, count)}
          <span className="invisible">{text.slice(count)}</span>
        </>
      );
    },
    // A collapsed border belongs to the table: it is drawn even where the row is invisible.
    row: () => (left > 0 ? '' : '[&>*]:border-transparent!'),
  };
}

/** The texts that `render` reveals. */
export function textsOf(render: (reveal: Reveal) => ReactNode): string[] {
  const texts: string[] = [];
  void render({
    text: (text) => {
      texts.push(text);
      return null;
    },
    row: () => '',
  });
  return texts;
}
