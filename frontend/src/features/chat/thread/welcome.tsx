import type { User } from '@stolas/backend/contract';
import { FileText, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Eye } from '../../../ui/eye.tsx';
import { NEW, select } from '../selection.ts';

/** No conversation is selected (docs/product.md, 'Screens'). */
export function Welcome({ user }: { user: User }) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-2xl animate-rise flex-col items-center justify-center gap-8 px-5 py-10">
        <header className="grid justify-items-center gap-4 text-center">
          <Eye className="size-14 text-accent" />
          <h1 className="text-xl font-semibold break-words">
            Welcome back, {user.firstName || 'User'}
          </h1>
        </header>
        <ul className="grid w-full gap-4 sm:grid-cols-2">
          <Card icon={<Users aria-hidden="true" />} title="Custom Personas">
            Give STOLAS a voice and a point of view that suit the task.
          </Card>
          <Card icon={<FileText aria-hidden="true" />} title="File Intelligence">
            Ask about your documents and get answers from what they say.
          </Card>
        </ul>
        <Button variant="primary" size="lg" onClick={() => select(NEW)}>
          Start New Conversation
        </Button>
      </div>
    </div>
  );
}

function Card({ icon, title, children }: { icon: ReactNode; title: string; children: string }) {
  return (
    <li className="rounded-lg border border-line bg-surface p-5">
      <div className="mb-3 text-accent [&_svg]:size-5">{icon}</div>
      <h2 className="font-medium">{title}</h2>
      <p className="mt-1 text-sm text-muted">{children}</p>
    </li>
  );
}
