/** Counts stored files, and reports the number at the end of each upload. */
export interface UploadedCount {
  /** A file is stored. */
  add: () => void;
  /** Something ended that may have stored files. */
  tell: () => void;
  /** Another way of an upload is part of that upload: its stored files are reported at its end. */
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
