import { t as common } from 'virtual:texts/app';
import { type ReactNode, useEffect, useRef, useState } from 'react';

export interface SectionEntry {
  id: string;
  label: string;
  content: ReactNode;
}

/** The sections with a list of links to them: beside them on wide screens, above them on narrow ones. */
export function Sections({ entries }: { entries: readonly SectionEntry[] }) {
  const { list, candidates, onLink } = useCurrentSection();
  const ids = entries.map(({ id }) => id);
  const current = candidates.find((id) => ids.includes(id)) ?? ids[0];
  return (
    <div className="md:grid md:grid-cols-[9rem_1fr] md:gap-x-12">
      <nav
        aria-label={common('settings')}
        className="-mx-3 mb-6 md:sticky md:top-6 md:mx-0 md:mb-0 md:self-start"
      >
        <ul className="flex flex-wrap gap-x-1 gap-y-0.5 md:grid">
          {entries.map(({ id, label }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                aria-current={id === current || undefined}
                onClick={() => onLink(id)}
                className="relative flex h-9 items-center rounded-sm px-3 text-sm whitespace-nowrap text-muted transition-colors duration-150 ease-out not-aria-current:hover:bg-hover hover:text-ink aria-current:bg-accent-soft aria-current:font-medium aria-current:text-ink aria-current:before:absolute aria-current:before:inset-y-2 aria-current:before:left-0 aria-current:before:w-0.5 aria-current:before:rounded-full aria-current:before:bg-accent pointer-coarse:h-11"
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
          <div key={id} id={id} className="scroll-mt-4">
            {content}
          </div>
        ))}
      </div>
    </div>
  );
}

/**
 * The sections that are current if they exist, the first one first, and the place of the sections. A section that was linked to is current while it is in
 * view and the user does not scroll: the last ones never reach the top of the window. Else the section at the top is.
 */
function useCurrentSection() {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState('');
  const [linked, setLinked] = useState(linkedNow);
  useEffect(() => {
    const onHashChange = () => setLinked(linkedNow());
    window.addEventListener('hashchange', onHashChange);
    return () => window.removeEventListener('hashchange', onHashChange);
  }, []);
  useEffect(() => {
    const section = [...(list.current?.children ?? [])].find(({ id }) => id === linked);
    return section && untilLeft(section, () => setLinked(''));
  }, [linked]);
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
        setTop(sections.find((section) => visible.has(section))?.id ?? '');
      },
      // The upper third of the window, below the bar of a phone. A linked section begins at its edge, where the one before it ends.
      { rootMargin: '-81px 0px -66% 0px' },
    );
    for (const section of sections) observer.observe(section);
    return () => {
      endFollow();
      observer.disconnect();
    };
  }, []);
  return { list, candidates: [linked, top], onLink: setLinked };
}

const linkedNow = (): string => location.hash.slice(1);

/** Calls `onLeave` when the user scrolls, or when a section that was in view leaves it. @returns its end */
function untilLeft(section: Element, onLeave: () => void): () => void {
  let wasSeen = false;
  const observer = new IntersectionObserver(([entry]) => {
    if (wasSeen && entry?.isIntersecting === false) onLeave();
    wasSeen ||= entry?.isIntersecting === true;
  });
  observer.observe(section);
  window.addEventListener('wheel', onLeave, { passive: true });
  window.addEventListener('touchmove', onLeave, { passive: true });
  return () => {
    observer.disconnect();
    window.removeEventListener('wheel', onLeave);
    window.removeEventListener('touchmove', onLeave);
  };
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
