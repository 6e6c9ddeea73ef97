import { t } from 'virtual:texts/uploader';
import { language } from '../../../i18n/language.ts';

/** Texts of Uppy that the product shows, by Uppy's own keys. */
const TEXTS = [
  'exceedsSize',
  'inferiorSize',
  'noMoreFilesAllowed',
  'noDuplicates',
  'failedToUpload',
  'noInternetConnection',
  'connectedToInternet',
  'additionalRestrictionsFailed',
  'dashboardWindowTitle',
  'closeModal',
  'addMoreFiles',
  'addingMoreFiles',
  'back',
  'removeFile',
  'error',
  'dropHint',
  'uploadComplete',
  'uploadPaused',
  'resumeUpload',
  'pauseUpload',
  'retryUpload',
  'cancelUpload',
  'addMore',
  'cancel',
  'dropPasteFiles',
  'browseFiles',
  'reSelect',
  'uploading',
  'complete',
  'uploadFailed',
  'paused',
  'retry',
  'pause',
  'resume',
  'done',
  'dataUploadedOfTotal',
  'dataUploadedOfUnknown',
  'xTimeLeft',
  'upload',
  'showErrorDetails',
] as const;

/** The texts whose form depends on Uppy's `smart_count`. */
const PLURALS = [
  'addBulkFilesFailed',
  'youCanOnlyUploadX',
  'xFilesSelected',
  'uploadingXFiles',
  'processingXFiles',
  'filesUploadedOfTotal',
  'uploadXFiles',
  'uploadXNewFiles',
  'xMoreFilesAdded',
] as const;

/** Uppy puts the values in itself. */
const PLACEHOLDERS = Object.fromEntries(
  ['browseFiles', 'complete', 'file', 'fileName', 'size', 'time', 'total'].map((name) => [
    name,
    `%{${name}}`,
  ]),
);
const COUNT = '%{smart_count}';

/** Plural categories of Unicode. Uppy's own texts have the forms `one` and `other`, in this order. */
const CATEGORIES = ['zero', 'one', 'two', 'few', 'many', 'other'] as const;
/** These numbers cover every category of every language. */
const SAMPLES = [...Array.from({ length: 101 }, (_, n) => n), 1_000_000, 0.5];

/** Uppy's texts in the user's language: a template for each plural form that the language has. */
export function uppyLocale({ takesMoreInLibrary = false } = {}) {
  const rules = new Intl.PluralRules(language());
  const samples = CATEGORIES.flatMap(
    (category) => SAMPLES.find((n) => rules.select(n) === category) ?? [],
  );
  const forms = samples.map((n) => rules.select(n));
  const inAllForms = (key: (typeof PLURALS)[number]) =>
    Object.fromEntries(samples.map((n, i) => [i, t(key, { ...PLACEHOLDERS, n, count: COUNT })]));
  return {
    strings: {
      ...Object.fromEntries(
        TEXTS.map((key) => [key, t(key, { ...PLACEHOLDERS, count: '%{count}' })]),
      ),
      ...(takesMoreInLibrary && { exceedsSize: t('exceedsSizeOfMessage', PLACEHOLDERS) }),
      ...Object.fromEntries(PLURALS.map((key) => [key, inAllForms(key)])),
    },
    pluralize: (n: number) => forms.indexOf(rules.select(n)),
  };
}
