import { t } from 'virtual:texts/deletion';
import type { DeletionCount } from '@stolas/backend/contract';
import { formatNumber } from '../../lib/number.ts';

const CELL = 'border-b border-line py-2.5';

/** The counts before and after the deletion, for each store. */
export const StoreTable = ({ stores }: { stores: readonly DeletionCount[] }) => (
  <table className="mt-8 w-full text-sm">
    <thead>
      <tr className="text-muted">
        <th scope="col" className={`${CELL} text-start font-normal`}>
          {t('store')}
        </th>
        <th scope="col" className={`${CELL} ps-4 text-end font-normal`}>
          {t('found')}
        </th>
        <th scope="col" className={`${CELL} ps-4 text-end font-normal`}>
          {t('left')}
        </th>
      </tr>
    </thead>
    <tbody>
      {stores.map(({ store, found, left }) => (
        <tr key={store} data-store={store}>
          <th scope="row" className={`${CELL} text-start font-normal`}>
            {t(store)}
          </th>
          <td className={`${CELL} ps-4 text-end tabular-nums`}>{formatNumber(found)}</td>
          <td className={`${CELL} ps-4 text-end tabular-nums`}>
            {left === null ? (
              <span className="text-muted">{t('unchecked')}</span>
            ) : (
              formatNumber(left)
            )}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
