import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/** What /personas shows: the list, the editor of a persona (`new` for another one), or the editor of a fusion. */
export type Place = { show: 'list' } | { show: 'editor'; id: string } | { show: 'fusion' };

/** The place is part of the URL, so that reload and the back button keep it. */
export function usePlace(): Place {
  const params = new URLSearchParams(useSearch());
  const id = params.get('id');
  if (id !== null) return { show: 'editor', id };
  return params.has('fuse') ? { show: 'fusion' } : { show: 'list' };
}

export const NEW = 'new';

export const showList = (): void => navigate('/personas');
export const showEditor = (id: string): void => navigate(`/personas?id=${id}`);
export const showFusion = (): void => navigate('/personas?fuse');
