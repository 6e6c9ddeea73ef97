// Takes the place of Socket.IO's client in all unit tests (vitest.config.ts).

/** A socket that never connects. */
export const silentSocket = (): unknown => ({
  on: () => {},
  connect: () => {},
  disconnect: () => {},
  io: { on: () => {}, reconnectionDelayMax: () => {} },
  active: true,
  connected: false,
});

/** Set by a test that needs a connection. Each test begins with the silent socket. */
export const network: { io: (options: never) => unknown } = { io: silentSocket };

export const io = (options: never): unknown => network.io(options);
