import { t } from 'virtual:texts/app';

/** The number of a page in its file, with the one that is printed on it when they differ: '58 (printed 56)'. */
export const pageNumber = ({
  page,
  label,
}: {
  page: number;
  label?: string | undefined;
}): string => (label === undefined ? String(page) : t('printedPage', { page, label }));
