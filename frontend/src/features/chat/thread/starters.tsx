import { t } from 'virtual:texts/chat';
import type { User, UserFile } from '@stolas/backend/contract';
import { Brain, Drama, FileDiff, PanelsTopLeft, ShieldCheck, Sigma } from 'lucide-react';
import type { ReactNode } from 'react';
import { toastError } from '../../../ui/toast-store.ts';
import { discussion } from '../../personas/index.ts';
import { NEW } from '../selection.ts';
import { addStoredFile } from '../sending/attachments.ts';
import { readDraft, removeDraftFile, writeDraftText } from '../sending/drafts.ts';
import { focusComposer } from '../text-box.ts';
import { type Sample, storeSamples } from './samples.ts';

interface Starter {
  text: () => string;
  icon: ReactNode;
  /** The sample files that it attaches. */
  samples?: readonly Sample[];
  /** Whether a panel of two personas answers it. */
  isDiscussion?: boolean;
}

/** The demo model has a written answer to each (backend/embedded/model/tour.ts). */
const STARTERS: readonly Starter[] = [
  { text: () => t('starterLeases'), icon: <FileDiff />, samples: ['lease2024', 'lease2025'] },
  { text: () => t('starterReport'), icon: <ShieldCheck />, samples: ['report'] },
  { text: () => t('starterPage'), icon: <PanelsTopLeft /> },
  { text: () => t('starterFormula'), icon: <Sigma /> },
  { text: () => t('starterFusion'), icon: <Drama />, isDiscussion: true },
  { text: () => t('starterMemory'), icon: <Brain /> },
];
const ALL: readonly Sample[] = ['lease2024', 'lease2025', 'report'];

/** Prompts that show what STOLAS can do: a click puts one into the composer, with its sample files; sending is up to the user. */
export function Starters({ user }: { user: User }) {
  return (
    <section className="w-full" aria-labelledby="starters">
      <h2 id="starters" className="mb-2 text-sm text-muted">
        {t('tryThese')}
      </h2>
      <ul className="grid gap-2 sm:grid-cols-2">
        {STARTERS.map(({ text, icon, ...starter }) => (
          <li key={text()} className="grid">
            <button
              type="button"
              className="flex min-h-11 items-start gap-3 rounded-sm border border-line px-3 py-2.5 text-left text-sm transition-colors duration-150 ease-out hover:border-control hover:bg-hover"
              onClick={() => void begin(user, { text: text(), ...starter })}
            >
              <span aria-hidden="true" className="mt-0.5 shrink-0 text-gold [&_svg]:size-4">
                {icon}
              </span>
              {text()}
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="mt-2 inline-flex items-center rounded-sm py-1 text-sm text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
        onClick={() => void begin(user, { text: '', samples: ALL })}
      >
        {t('trySamples')}
      </button>
    </section>
  );
}

/** The samples of the last click, which those of the next click replace. */
let attached: readonly UserFile[] = [];
/** The next click ends what the last one began. */
let click = new AbortController();

async function begin(
  user: User,
  { text, samples = [], isDiscussion = false }: Omit<Starter, 'text' | 'icon'> & { text: string },
): Promise<void> {
  click.abort();
  click = new AbortController();
  const { signal } = click;
  try {
    const files = await storeSamples(samples, signal);
    const { chooseDiscussion, endDiscussion } = await discussion();
    if (isDiscussion) await chooseDiscussion(signal);
    if (signal.aborted) return;
    if (!isDiscussion) endDiscussion();
    for (const { id } of attached) removeDraftFile(user.id, NEW, id);
    attached = files;
    for (const file of files) addStoredFile(user, NEW, file);
    writeDraftText(user.id, NEW, withStarter(readDraft(user.id, NEW).text, text));
    focusComposer();
  } catch {
    if (signal.aborted) return;
    toastError(t(isDiscussion ? 'discussionFailed' : 'samplesFailed'));
  }
}

/** Keeps what the user has written; replaces the text of another starter. */
function withStarter(written: string, starter: string): string {
  const isStarter = STARTERS.some(({ text }) => text() === written.trim());
  if (written.trim() === '' || (isStarter && starter !== '')) return starter;
  return starter === '' ? written : `${written.trimEnd()}\n\n${starter}`;
}
