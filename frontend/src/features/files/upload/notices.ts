import { toast } from '../../../ui/toast-store.ts';
import type { UploadUppy } from './store-calls.ts';
import { UploadStepError } from './upload-errors.ts';

interface Notice {
  title: string;
  description?: string;
}

/** How the user hears of uploads: at most one notification at a time, so those of one moment are told together. */
export interface Notices {
  /** While Uppy's own modal is open, it shows Uppy's messages. */
  setShownElsewhere: (isShown: boolean) => void;
  failed: (fileName: string, error: Error) => void;
  /** Takes back that a file failed: there is another way. */
  drop: (fileName: string) => void;
  uploaded: (count: number) => void;
  restored: (restored: { files: number; lost: number }) => void;
}

export function noticesOf(uppy: UploadUppy): Notices {
  let isShownElsewhere = false;
  let waiting: Notice[] = [];

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
    toast({ title: first.title, variant: 'destructive', ...(description && { description }) });
  };
  const tell = (notice: Notice) => {
    if (waiting.length === 0) queueMicrotask(flush);
    // Uppy tells some failures twice.
    if (!waiting.some(({ title }) => title === notice.title)) waiting.push(notice);
  };

  uppy.on('info-visible', () => {
    const info = uppy.getState().info.at(-1);
    if (!info || info.type === 'success') return;
    const { message, details } = info;
    // The page tells about the connection itself.
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
      // The specification names the step; the server's own sentence says more.
      withdraw(failedTitle(fileName));
      const { step, message } = error;
      tell({
        title: 'Upload error',
        description: message === step ? step : `${step}: ${message}`,
      });
    },
    drop: (fileName) => withdraw(failedTitle(fileName)),
    uploaded(count) {
      toast({
        title: 'Files uploaded',
        description: `${count} ${count === 1 ? 'file' : 'files'} uploaded successfully.`,
      });
    },
    restored({ files, lost }) {
      if (files === 0) return;
      toast({
        // Uppy's own text; it belongs to the modal, which is loaded later, and so does the one below.
        title: 'Session restored',
        description: lost > 0 ? recoveredText(lost) : 'Your uploads continue.',
      });
    },
  };
}

const recoveredText = (count: number): string =>
  count === 1
    ? 'We could not fully recover 1 file. Please re-select it and resume the upload.'
    : `We could not fully recover ${count} files. Please re-select them and resume the upload.`;
