import { t as common } from 'virtual:texts/app';
import { type ReactNode, useEffect, useRef, useState } from 'react';

export interface SectionEntry {
  id: string;
  label: string;
  content: ReactNode;
}

/** The sections with a list of links to them: beside them on wide screens, a row above them on narrow ones. */
export function Sections({ entries }: { entries: readonly SectionEntry[] }) {
  const { list, current } = useCurrentSection();
  const nav = useLinkInView(current);
  return (
    <div className="md:grid md:grid-cols-[9rem_1fr] md:gap-x-12">
      <nav
        ref={nav}
        aria-label={common('settings')}
        className="sticky top-0 z-10 -mx-5 mb-2 overflow-x-auto bg-ground px-5 py-2 md:top-6 md:mx-0 md:mb-0 md:self-start md:overflow-visible md:px-0 md:py-0"
      >
        <ul className="flex gap-1 md:grid md:gap-0.5">
          {entries.map(({ id, label }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                aria-current={id === (current ?? entries[0]?.id) || undefined}
                className="flex h-9 items-center rounded-sm px-3 text-sm whitespace-nowrap text-muted transition-colors duration-150 ease-out hover:bg-hover hover:text-ink aria-current:bg-hover aria-current:font-medium aria-current:text-ink pointer-coarse:h-11"
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div
        ref={list}
        className="min-w-0 [&>:first-child>section]:border-t-0 [&>:first-child>section]:pt-0"
      >
        {entries.map(({ id, content }) => (
          <div key={id} id={id} className="scroll-mt-16 md:scroll-mt-4">
            {content}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Keeps the link to the current section in the middle of the row, which is wider than a phone. @returns the row */
function useLinkInView(current: string | undefined) {
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const row = nav.current;
    const link = row?.querySelector<HTMLElement>(`a[href="#${current}"]`);
    if (row && link) row.scrollLeft = link.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return nav;
}

/** The id of the section at the top of the window, and the place of the sections. */
function useCurrentSection() {
  const list = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    const sections = [...(list.current?.children ?? [])];
    const endFollow = followLinked(sections);
    const visible = new Set<Element>();
    const observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting } of changes) {
          if (isIntersecting) visible.add(target);
          else visible.delete(target);
        }
        setCurrent(sections.find((section) => visible.has(section))?.id);
      },
      // The upper third of the window, below the row. A linked section begins at its edge, where the one before it ends.
      { rootMargin: '-65px 0px -66% 0px' },
    );
    for (const section of sections) observer.observe(section);
    return () => {
      endFollow();
      observer.disconnect();
    };
  }, []);
  return { list, current };
}

/** Keeps the section that the address names in view while those above it load, until the user moves. @returns its end */
function followLinked(sections: readonly Element[]): () => void {
  const linked = sections.find(({ id }) => `#${id}` === location.hash);
  const observer = new ResizeObserver(() => linked?.scrollIntoView());
  if (linked) for (const section of sections) observer.observe(section);
  const end = new AbortController();
  const stop = () => {
    observer.disconnect();
    end.abort();
  };
  for (const event of ['wheel', 'touchmove', 'keydown', 'pointerdown']) {
    window.addEventListener(event, stop, { signal: end.signal });
  }
  return stop;
}
