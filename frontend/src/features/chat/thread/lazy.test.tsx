import { render } from '@testing-library/react';
import { beforeEach, expect, it, type Mock, vi } from 'vitest';
import { testUser } from '../../../lib/user.fixture.ts';
import { makeReply } from '../chat-server.fixture.ts';
import { ReplyMessage, usePreloadReplies } from './lazy.tsx';
import { MessageList } from './message-list.tsx';

// The code of replies does not arrive.
vi.mock('./reply-message.tsx', () => new Promise(() => undefined));

let preload: Mock;
beforeEach(() => {
  preload = vi.spyOn(ReplyMessage, 'preload').mockResolvedValue();
});

const Screen = ({ isHome }: { isHome: boolean }) => {
  usePreloadReplies(isHome);
  return null;
};

it.each(['keydown', 'pointermove', 'pointerdown'])(
  'the home screen loads the code of replies at the first %s',
  (event) => {
    const { unmount } = render(<Screen isHome />);
    expect(preload).not.toHaveBeenCalled();
    window.dispatchEvent(new Event(event));
    window.dispatchEvent(new Event(event));
    expect(preload).toHaveBeenCalledOnce();
    unmount();
  },
);

it('a conversation loads it at once', () => {
  render(<Screen isHome={false} />);
  expect(preload).toHaveBeenCalledOnce();
});

it('the home screen listens no longer when it is left', () => {
  render(<Screen isHome />).unmount();
  window.dispatchEvent(new Event('keydown'));
  expect(preload).not.toHaveBeenCalled();
});

it('a reply whose code is not loaded yet has about its height, so that the rows that are drawn first are those in view', () => {
  const { container } = render(
    <MessageList
      user={testUser()}
      messages={[makeReply('c1', { content: 'x'.repeat(9_200) })]}
      pending={undefined}
      unsent={[]}
      scroller={null}
      onNearStart={() => undefined}
      target={null}
      onTarget={() => undefined}
      onPinned={() => undefined}
    />,
  );
  const height = container.querySelector<HTMLElement>('[style*=min-height]')?.style.minHeight;
  expect(Number.parseInt(height ?? '', 10)).toBeGreaterThan(2_000);
});
