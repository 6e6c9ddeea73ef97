import type { KeyboardEvent } from 'react';

const ROW = '[data-conversation-id]';

const rowOf = (element: EventTarget): HTMLElement | null =>
  element instanceof Element ? element.closest<HTMLElement>(ROW) : null;

const linkOf = (row: Element | undefined): HTMLElement | null | undefined =>
  row?.querySelector<HTMLElement>('a');

/** The conversation in whose row an event happened. */
export const rowIdOf = (target: EventTarget): string | undefined =>
  rowOf(target)?.dataset.conversationId;

const rowsAround = (row: HTMLElement): readonly HTMLElement[] => [
  ...(row.closest('[data-list]')?.querySelectorAll<HTMLElement>(ROW) ?? []),
];

/** Moves the focus by the arrow keys, Home and End: up and down between rows, left and right within one. */
export function moveByKey(event: KeyboardEvent): void {
  const row = rowOf(event.target);
  if (!row || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const rows = rowsAround(row);
  const at = rows.indexOf(row);
  const within = [...row.querySelectorAll<HTMLElement>('a, button')];
  const here = within.findIndex((element) => element === document.activeElement);
  const next = {
    ArrowDown: () => linkOf(rows[at + 1]),
    ArrowUp: () => linkOf(rows[at - 1]),
    Home: () => linkOf(rows[0]),
    End: () => linkOf(rows.at(-1)),
    ArrowRight: () => within[here + 1],
    ArrowLeft: () => within[here - 1],
  }[event.key];
  if (!next) return;
  event.preventDefault();
  next()?.focus();
}

/** Moves the focus to the row after that of `element`, else to the one before: its own row is about to go. */
export function focusBesideRow(element: EventTarget): void {
  const row = rowOf(element);
  if (!row) return;
  const rows = rowsAround(row);
  const at = rows.indexOf(row);
  linkOf(rows[at + 1] ?? rows[at - 1])?.focus();
}

/** Focuses the row of a conversation, or the first row. */
export function focusRow(list: ParentNode, conversationId?: string): void {
  const rows = [...list.querySelectorAll<HTMLElement>(ROW)];
  const wanted = rows.find(({ dataset }) => dataset.conversationId === conversationId);
  linkOf(wanted ?? rows[0])?.focus();
}
