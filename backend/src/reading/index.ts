import type { FileReader } from './port.ts';

export {
  type FileReader,
  type FileType,
  type PageRect,
  type ReadFile,
  type ReadOptions,
  type ReadPage,
  UnreadableFileError,
} from './port.ts';

export function createFileReader(): FileReader {
  const refuse = () => Promise.reject(new Error('Reading is not implemented yet.'));
  return { read: refuse, renderPage: refuse, markPage: refuse, imageForModel: refuse };
}
