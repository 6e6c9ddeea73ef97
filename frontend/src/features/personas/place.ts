import { navigate } from 'wouter/use-browser-location';
import { useSearchParam } from '../../lib/search-params.ts';

/** The view of /personas: the list, the editor of a persona (`new` for a new one), or the editor of a fusion. */
export type Place = { show: 'list' } | { show: 'editor'; id: string } | { show: 'fusion' };

export function usePlace(): Place {
  const id = useSearchParam('id');
  const fuse = useSearchParam('fuse');
  if (id !== null) return { show: 'editor', id };
  return fuse !== null ? { show: 'fusion' } : { show: 'list' };
}

export const NEW = 'new';

export const showList = (): void => navigate('/personas');
export const showEditor = (id: string): void => navigate(`/personas?id=${id}`);
export const showFusion = (): void => navigate('/personas?fuse');
