import { serveModel } from '../../backend/test/model-server.ts';
import { gate } from './gate.ts';

/** Where a reply waits while it is held; not a part of its text. */
export const HOLD = '⏸';

/** A model provider whose reply is the last message, so that a test says what the reply is. */
export async function startEchoProvider() {
  let held = Promise.resolve();
  const provider = await serveModel(async ({ messages, write }) => {
    const text = messages.findLast(({ role }) => role === 'user')?.content ?? '';
    const [first = '', ...rest] = text.split(HOLD);
    write(first);
    if (rest.length === 0) return;
    await held;
    write(rest.join(''));
  });
  return {
    ...provider,
    /** Replies stop at `HOLD` until the returned function is called. */
    hold: (): (() => void) => {
      const { opened, open } = gate();
      held = opened;
      return open;
    },
  };
}
