import { render, screen } from '@testing-library/react';
import { beforeAll, expect, it, vi } from 'vitest';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { replyHtml } from './plain-html.ts';

vi.mock('../../../ui/frame/sandboxed-frame.tsx', () => ({
  SandboxedFrame: ({ title }: { title: string }) => <div title={title} />,
}));
vi.mock('../../../ui/markdown/highlighter.ts', () => ({
  nextBlock: () => 1,
  highlightLines: async () => [],
}));

// Loaded on demand, which may take longer than a query waits.
beforeAll(() => import('../../../ui/markdown/diagram/diagram.tsx'));

it('copies the code of a diagram', async () => {
  const { container } = render(<Markdown text={'```mermaid\nflowchart LR\n  A --> B\n```'} />);
  await screen.findByTitle('Diagram');
  expect(replyHtml(container)).toBe('<pre><code>flowchart LR\n  A --&gt; B</code></pre>');
});
