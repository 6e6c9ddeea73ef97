import { t } from '../../i18n/persona-choice.ts';
import { fromServer } from '../../i18n/translate.ts';
import { ApiError, userMessageOf } from '../../lib/api.ts';
import { toast } from '../../ui/toast-store.ts';
import { endSession } from '../auth/index.ts';

export const isLimit = (error: unknown): boolean =>
  error instanceof ApiError && error.body?.code === 'persona_limit';

/** Tells why something about personas failed; a session that is over ends here too. */
export const tellFailure =
  (title: string) =>
  (error: unknown): void => {
    if (error instanceof ApiError && error.status === 401) return void endSession();
    const description = fromServer(userMessageOf(error, t('checkConnection')));
    toast({ variant: 'destructive', title, description });
  };
