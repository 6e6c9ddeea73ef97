import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { expect, it, vi } from 'vitest';
import { setWide } from '../../../lib/media.fixture.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { fakeServer } from '../../../lib/server.fixture.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { makeReply } from '../chat-server.fixture.ts';
import { Reasoning } from '../thread/reasoning.tsx';
import { ArtifactCards, OpenArtifact } from './lazy.tsx';
import { noteBegun } from './place.ts';

vi.mock('../../../ui/frame/sandboxed-frame.tsx', () => ({ SandboxedFrame: () => null }));
vi.mock('../../../ui/markdown/highlighter.ts', () => ({
  nextBlock: () => 1,
  highlightLines: async () => [],
}));

// Loaded at first use; how long that takes is not tested.
await Promise.all([import('./artifact-head.tsx'), import('./artifact-panel.tsx')]);

const CONVERSATION = 'c'.repeat(24);
let lastId = 0;

/** Shows a reply with this text, and the artifact that is opened. @returns its id */
function show(text: string, draw?: (text: string) => ReactNode): string {
  lastId += 1;
  const id = String(lastId).padStart(24, '0');
  const reply = makeReply(CONVERSATION, { id, status: 'complete', content: text });
  fakeServer({ [`GET /api/conversations/${CONVERSATION}/messages?limit=50`]: { body: [reply] } });
  render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <ArtifactCards reply={reply}>{draw ? draw(text) : <Markdown text={text} />}</ArtifactCards>
        <OpenArtifact conversationId={CONVERSATION} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return id;
}

it.each([
  ['a list', '1. Page:\n\n   ```html\n   <h1>Clock</h1>\n\n     <p>Tick</p>\n   ```\n2. Next'],
  ['a quote', '> ```html\n> <h1>Clock</h1>\n>\n>   <p>Tick</p>\n> ```'],
  ['a list in a quote', '> - ~~~html\n>   <h1>Clock</h1>\n>\n>     <p>Tick</p>\n>   ~~~'],
  ['a list with tabs', '-\t```html\n\t<h1>Clock</h1>\n\n\t  <p>Tick</p>\n\t```'],
  ['a list that ends before it', '- ```html\n  <h1>Clock</h1>\n\n    <p>Tick</p>\n\nNext'],
  ['markup', '<b>Page</b>\n```html\n<h1>Clock</h1>\n\n  <p>Tick</p>\n```'],
])('an artifact inside %s opens', async (_, text) => {
  setWide(true);
  show(text);
  await userEvent.click(await screen.findByRole('button', { name: 'Open' }));
  const panel = within(await screen.findByRole('complementary', { name: 'Artifact' }));
  await panel.findByRole('heading', { name: 'Clock' });
  await userEvent.click(panel.getByRole('button', { name: 'Copy code' }));
  expect(await navigator.clipboard.readText()).toBe('<h1>Clock</h1>\n\n  <p>Tick</p>');
});

it('a drawing that is written after another artifact opens itself, not the other one', async () => {
  setWide(true);
  // What is drawn may be a little behind the reply.
  const id = show('```mermaid\ngraph TD\n```\n\n```svg\n<svg', (text) => {
    noteBegun(String(lastId).padStart(24, '0'));
    return <Markdown text={text.slice(0, -4)} streaming />;
  });
  await waitFor(() => expect(location.search).toBe(`?artifact=${id}-1`));
});

it('code of the reasoning is no artifact', async () => {
  show('```svg\n<svg/>\n```', (text) => <Reasoning text={text} streaming={false} quiet={false} />);
  await userEvent.click(screen.getByText('Thought'));
  await screen.findByRole('figure', { name: 'Code, SVG' });
  expect(screen.queryByRole('button', { name: 'Open' })).toBeNull();
});

it('offers nothing to open for code that is not found in the reply', async () => {
  show('Sure.', () => <Markdown text={'```html\n<h1>Clock</h1>\n```'} />);
  await screen.findByText('Clock');
  expect(screen.queryByRole('button', { name: 'Open' })).toBeNull();
});

it('gives the focus back on narrow screens too', async () => {
  setWide(false);
  show('```html\n<h1>Clock</h1>\n```');
  const open = await screen.findByRole('button', { name: 'Open' });
  await userEvent.click(open);
  const sheet = within(await screen.findByRole('dialog', { name: 'Artifact' }));
  await sheet.findByRole('heading', { name: 'Clock' });
  await userEvent.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(document.activeElement).toBe(open);
});
