import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { FileText, Users } from 'lucide-react';
import { type ReactNode } from 'react';
import { Link } from 'wouter';
import { deriveTitle } from '../../../lib/title.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Eye } from '../../../ui/eye.tsx';
import { PersonaGreeting } from '../../personas/index.ts';
import { openUploads } from '../composer/attach-button.tsx';
import { NEW, select } from '../selection.ts';
import { usePersonaChoices } from '../sending/choices.ts';
import { type UnsentMessage, useAllUnsent } from '../sending/outbox.ts';
import { focusComposer } from '../text-box.ts';
import { isUncreated } from '../use-conversation.ts';
import { Starters } from './starters.tsx';

/** No conversation is selected; the composer below starts a new one (docs/product.md, 'Home'). */
export function Welcome({ user }: { user: User }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-2xl animate-rise flex-col items-center justify-center gap-6 px-5 py-6">
        <header className="grid justify-items-center gap-3 text-center">
          <Eye className="size-12 text-gold" />
          <h1 className="text-xl font-semibold break-words">
            {user.firstName ? t('welcome', { name: user.firstName }) : t('welcomeUnnamed')}
          </h1>
          <Greeting conversationId={NEW} />
        </header>
        <Starters user={user} />
        <div className="grid w-full gap-2 sm:grid-cols-2">
          <Link href="/personas" className={cn(CARD, ACTIVE)}>
            <CardContent icon={<Users aria-hidden="true" />} title={t('personasTitle')}>
              {t('personasText')}
            </CardContent>
          </Link>
          <button
            type="button"
            aria-haspopup="dialog"
            onClick={openUploads}
            className={cn(CARD, ACTIVE)}
          >
            <CardContent icon={<FileText aria-hidden="true" />} title={t('filesTitle')}>
              {t('filesText')}
            </CardContent>
          </button>
        </div>
        <Button
          size="lg"
          onClick={() => {
            select(NEW);
            focusComposer();
          }}
        >
          {t('startConversation')}
        </Button>
        <WaitingConversations />
      </div>
    </div>
  );
}

const CARD = 'rounded-lg border p-4';
const ACTIVE =
  'border-line bg-surface text-left transition-colors duration-150 ease-out hover:border-control hover:bg-hover';

interface CardContentProps {
  icon: ReactNode;
  title: string;
  children: string;
}

const CardContent = ({ icon, title, children }: CardContentProps) => (
  <>
    <span className="mb-2 block text-gold [&_svg]:size-5">{icon}</span>
    <span className="block font-medium">{title}</span>
    <span className="mt-1 block text-sm text-muted">{children}</span>
  </>
);

/** New conversations whose first message waits until the server is reachable: no list has them yet. */
function WaitingConversations() {
  const waiting = uncreatedOf(useAllUnsent());
  if (waiting.length === 0) return null;
  return (
    <section className="w-full text-sm">
      <h2 className="text-muted">{t('notSentYet')}</h2>
      <ul>
        {waiting.map(({ id, title }) => (
          <li key={id}>
            <Link
              href={`/?c=${id}`}
              className="flex min-h-9 items-center rounded-sm text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
            >
              <bdi className="truncate">{title}</bdi>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The persona's greeting before the first message. */
export function Greeting({ conversationId }: { conversationId: string }) {
  const { personaId } = usePersonaChoices(conversationId);
  return personaId !== null && <PersonaGreeting personaId={personaId} />;
}

interface UncreatedConversation {
  id: string;
  title: string;
}

/** The conversations that the first of these messages create, in the order in which they were begun. */
export function uncreatedOf(messages: readonly UnsentMessage[]): UncreatedConversation[] {
  const titles = new Map<string, string>();
  for (const { conversationId, content } of messages) {
    if (isUncreated(conversationId) && !titles.has(conversationId)) {
      titles.set(conversationId, deriveTitle(content));
    }
  }
  return [...titles].map(([id, title]) => ({ id, title }));
}
