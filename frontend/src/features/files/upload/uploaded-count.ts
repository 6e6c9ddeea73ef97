/** Counts stored files, and tells how many at the end of what stored them. */
export interface UploadedCount {
  /** A file is stored. */
  add: () => void;
  /** Something ended that may have stored files. */
  tell: () => void;
  /** Another way that an upload goes is part of that upload: what was stored is told at its end. */
  during: (way: Promise<unknown> | undefined) => void;
}

/** @param notify called with the number of files that were stored since the last call, when there are any */
export function countUploaded(notify: (count: number) => void): UploadedCount {
  let stored = 0;
  let ways = 0;
  const tell = () => {
    if (ways > 0 || stored === 0) return;
    notify(stored);
    stored = 0;
  };
  const end = () => {
    ways -= 1;
    tell();
  };
  return {
    add: () => {
      stored += 1;
    },
    tell,
    during: (way) => {
      ways += 1;
      Promise.resolve(way).then(end, end);
    },
  };
}
