/** Markup that is safe to send. */
export interface Html {
  markup: string;
}

type Value = Html | string | number | null | readonly Html[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string' || typeof value === 'number')
    return String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

/** Joins markup and values; every text among the values is escaped. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html => ({
  markup: parts.reduce((sum, part, n) => sum + markupOf(values[n - 1] ?? null) + part),
});

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

export const dollars = (cents: number): string => money.format(cents / 100);
export const date = (at: Date): string => day.format(at);

/** A button that posts to `action`. */
export const button = (
  action: string,
  label: string,
  kind: 'primary' | 'secondary' | 'danger' = 'secondary',
): Html => html`<form method="post" action="${action}">
  <button type="submit" class="${kind}">${label}</button>
</form>`;

/** A list of names and values. */
export const facts = (entries: readonly (readonly [name: string, value: string])[]): Html =>
  html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
