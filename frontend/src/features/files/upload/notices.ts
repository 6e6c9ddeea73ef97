import { t as files } from 'virtual:texts/files';
import { t } from 'virtual:texts/uploader';
import { navigate } from 'wouter/use-browser-location';
import { toast, toastError, useToastStore } from '../../../ui/toast-store.ts';
import type { UploadUppy } from './store-calls.ts';
import { UploadStepError } from './upload-errors.ts';

interface Notice {
  title: string;
  description?: string;
}

/** Notifications about uploads. At most one is shown, so simultaneous failures share one. */
export interface Notices {
  /** While Uppy's own modal is open, it shows Uppy's messages. */
  setShownElsewhere: (isShown: boolean) => void;
  failed: (fileName: string, error: Error) => void;
  /** Withdraws the failure of a file: it is uploaded another way. */
  drop: (fileName: string) => void;
  /**
   * Shows that more files were added than a message takes. `guestFiles`: the limit of guests, with a link to the plans,
   * which Uppy's modal cannot show.
   */
  full: (title: string, guestFiles?: number) => void;
  uploaded: (count: number) => void;
  restored: (restored: { files: number; lost: number }) => void;
}

const isShown = (id: number | undefined): boolean => {
  const { current } = useToastStore.getState();
  return current?.open === true && current.id === id;
};

export function noticesOf(uppy: UploadUppy): Notices {
  let isShownElsewhere = false;
  let waiting: Notice[] = [];
  let fullId: number | undefined;

  const failedTitle = (fileName: string) => uppy.i18n('failedToUpload', { file: fileName });
  const withdraw = (title: string) => {
    waiting = waiting.filter((notice) => notice.title !== title);
  };
  const flush = () => {
    const [first, ...others] = waiting;
    waiting = [];
    if (!first || isShownElsewhere) return;
    const description = [first.description, ...others.map(({ title }) => title)]
      .filter(Boolean)
      .join('\n');
    toastError(first.title, description);
  };
  const tell = (notice: Notice) => {
    if (waiting.length === 0) queueMicrotask(flush);
    // Uppy reports some failures twice.
    if (!waiting.some(({ title }) => title === notice.title)) waiting.push(notice);
  };

  uppy.on('info-visible', () => {
    const info = uppy.getState().info.at(-1);
    if (!info || info.type === 'success') return;
    const { message, details } = info;
    // The page itself reports a lost connection.
    if (message === uppy.i18n('noInternetConnection')) return;
    tell({
      title: message,
      ...(typeof details === 'string' && details && { description: details }),
    });
  });

  return {
    setShownElsewhere(isShown) {
      isShownElsewhere = isShown;
    },
    failed(fileName, error) {
      if (!(error instanceof UploadStepError)) return;
      // The specification names the step; the server's sentence is more specific.
      withdraw(failedTitle(fileName));
      const { step, message } = error;
      tell({
        title: files('uploadError'),
        description: message === step ? step : t('stepFailed', { step, reason: message }),
      });
    },
    drop: (fileName) => withdraw(failedTitle(fileName)),
    full(title, guestFiles) {
      const wayUp = guestFiles !== undefined && {
        description: t('guestLimit', { count: guestFiles }),
        action: { label: t('createAccount'), onSelect: () => navigate('/login') },
      };
      fullId = toast({ title, variant: 'destructive', ...wayUp });
    },
    uploaded(count) {
      // The accepted files are visible; the reason why others are missing is not.
      if (isShown(fullId)) return;
      toast({ title: t('uploaded'), description: t('uploadedCount', { count }) });
    },
    restored({ files, lost }) {
      if (files === 0) return;
      toast({
        title: t('sessionRestored'),
        description:
          lost > 0 ? t('recoveredXFiles', { n: lost, count: lost }) : t('uploadsContinue'),
      });
    },
  };
}
