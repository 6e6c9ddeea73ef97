import {
  type Citation,
  type InsightCard,
  type MessageMetadata,
  sourceHref,
} from '@stolas/backend/contract';
import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { usePrinting } from '../../../lib/printing.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { idOf, testCitation } from '../files.fixture.tsx';
import { MessageFiles, ReplySources, SourceLinks } from '../lazy.tsx';

const link = (citation: Citation, text = String(citation.n)) =>
  `[${text}](${sourceHref(citation)})`;
const first = testCitation(1);

const showReply = (text: string, citations?: Citation[]) =>
  render(
    <SourceLinks citations={citations}>
      <Markdown text={text} streaming={!citations} />
    </SourceLinks>,
    { wrapper: TooltipProvider },
  );
const showSources = (metadata: MessageMetadata, text = '') =>
  render(<ReplySources metadata={metadata} text={text} />);
const place = () => Object.fromEntries(new URLSearchParams(location.search));

// Loaded on demand, which may take longer than a query waits.
beforeAll(() => import('./parts.ts'));

beforeEach(() => navigate('/?c=c1'));

describe('a citation in a reply', () => {
  it('is a number that opens the viewer at the passage, beside the same conversation', async () => {
    showReply(`The rent is due ${link(first)}.`, [first]);
    const chip = await screen.findByRole('button', { name: 'Source 1: contract.pdf, page 37' });
    expect(chip.textContent).toBe('1');
    await userEvent.click(chip);
    expect(place()).toEqual({ c: 'c1', file: idOf(1), page: '37', mark: '4-20' });
  });

  it('works while the reply grows, and gets its name when it is complete', async () => {
    const { rerender } = showReply(`Due ${link(first)}`);
    await userEvent.click(await screen.findByRole('button', { name: 'Source 1' }));
    expect(place()).toMatchObject({ file: idOf(1), page: '37' });
    rerender(
      <SourceLinks citations={[first]}>
        <Markdown text={`Due ${link(first)}`} />
      </SourceLinks>,
    );
    expect(await screen.findByRole('button', { name: /contract\.pdf/ })).toBeTruthy();
  });

  it('shows the quotation on focus, as text', async () => {
    const hostile = testCitation(1, { quote: '<img src=x onerror=alert(1)>' });
    showReply(`Due ${link(hostile)}`, [hostile]);
    await screen.findByRole('button', { name: /Source 1:/ });
    await userEvent.tab();
    const bubble = await screen.findByRole('tooltip');
    expect(bubble.textContent).toContain('<img src=x onerror=alert(1)>');
    expect(bubble.textContent).toContain('page 37');
    expect(bubble.querySelector('img')).toBeNull();
  });

  it('is plain text when its own text is no number', async () => {
    showReply(`Click ${link(first, 'here for a prize')}.`, [first]);
    await waitFor(() => expect(document.querySelector('sup')).toBeNull());
    expect(screen.getByText(/here for a prize/)).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
    expect(screen.queryByRole('link')).toBeNull();
  });

  it('leaves other links as they are', () => {
    showReply('[1](#section) and [2](https://example.org)', []);
    expect(screen.getAllByRole('link')).toHaveLength(2);
    expect(screen.queryByRole('button')).toBeNull();
  });
});

describe('the cards of a reply', () => {
  const quote = (n: number): InsightCard => ({
    insight: `Quotation ${n}`,
    citation: testCitation(n),
  });

  it('open the viewer at their passage', async () => {
    showSources({ insightCards: [quote(1)] });
    await userEvent.click(
      await screen.findByRole('button', { name: /Quotation 1.*contract\.pdf.*page 37/ }),
    );
    expect(place()).toMatchObject({ file: idOf(1), page: '37', mark: '4-20' });
  });

  it('without a place are only text', async () => {
    showSources({ insightCards: [{ insight: 'Owls see in the dark' }] });
    expect(await screen.findByText('Owls see in the dark')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('are left out when the reply quotes them, and have no line ends of their page', async () => {
    showSources(
      { insightCards: [quote(1), { insight: 'Ada Marsh leads\nthe project' }] },
      'It says “Quotation 1”.',
    );
    expect(await screen.findByText('Ada Marsh leads the project')).toBeTruthy();
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('beyond three are behind a button', async () => {
    showSources({ insightCards: [1, 2, 3, 4, 5].map(quote) });
    await userEvent.click(await screen.findByRole('button', { name: 'Show all 5' }));
    expect(screen.getByText('Quotation 5')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Show fewer' }));
    expect(screen.queryByText('Quotation 4')).toBeNull();
  });

  it('are all on paper', async () => {
    showSources({ insightCards: [1, 2, 3, 4, 5].map(quote) });
    await screen.findByText('Quotation 3');
    act(() => usePrinting.setState({ isPrinting: true }));
    expect(screen.getByText('Quotation 5')).toBeTruthy();
    act(() => usePrinting.setState({ isPrinting: false }));
    expect(screen.queryByText('Quotation 5')).toBeNull();
  });

  it('compare what two files say', async () => {
    const other = testCitation(2, { fileId: idOf(2), fileName: 'letter.txt', page: 1 });
    showSources({
      insightCards: [
        {
          insight: 'Rent: “2,400 euros” (contract.pdf) – “2,250 euros” (letter.txt)',
          comparison: {
            topic: 'Rent',
            sides: [
              { citation: first, value: '2,400 euros' },
              { citation: other, value: '2,250 euros' },
            ],
          },
        },
      ],
    });
    expect(await screen.findByRole('heading', { name: 'Rent' })).toBeTruthy();
    expect(
      screen.getByText(/^On Rent, .* says “2,400 euros” and letter\.txt says “2,250 euros”\.$/),
    ).toBeTruthy();
    expect(screen.getByText('2,400 euros')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: /2,250 euros.*letter\.txt/ }));
    expect(place()).toMatchObject({ file: idOf(2), page: '1' });
  });
});

it('says which files were not read', async () => {
  showSources({
    filesReceipt: [
      { fileId: idOf(1), name: 'contract.pdf', given: 'whole' },
      { fileId: idOf(2), name: 'scan.pdf', given: 'unread', reason: 'It has no text.' },
    ],
  });
  expect((await screen.findByText('scan.pdf')).closest('p')?.textContent).toBe(
    'scan.pdf: It has no text.',
  );
  expect(screen.queryByText('contract.pdf')).toBeNull();
});

describe('the files of a message', () => {
  it('are links that open the viewer, and can be downloaded', async () => {
    const url = `/api/files/${idOf(1)}`;
    render(<MessageFiles metadata={{ files: [{ id: idOf(1), name: 'contract.pdf', url }] }} />, {
      wrapper: TooltipProvider,
    });
    const file = await screen.findByRole('link', { name: 'contract.pdf' });
    expect(file.getAttribute('href')).toBe(url);
    expect(screen.getByRole('link', { name: 'Download contract.pdf' }).getAttribute('href')).toBe(
      `${url}?download=true`,
    );
    await userEvent.click(file);
    expect(place()).toMatchObject({ c: 'c1', file: idOf(1) });
  });

  it('without a name are named File, and link to their object', async () => {
    render(
      <MessageFiles
        metadata={{
          files: [{ objectPath: '/api/files/x' }, { name: 'Bad', url: 'javascript:alert(1)' }],
        }}
      />,
      { wrapper: TooltipProvider },
    );
    const links = await screen.findAllByRole('link');
    expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
      ['File', '/api/files/x'],
    ]);
    expect(screen.getByText('Bad')).toBeTruthy();
  });
});
