import { render } from '@testing-library/react';
import { beforeEach, expect, it, type Mock, vi } from 'vitest';
import { ReplyMessage, usePreloadReplies } from './lazy.tsx';

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
