import type { FileProblem } from '../../../contract/files.ts';
import type { FilesReceipt } from '../../../contract/messages.ts';
import type { Log } from '../../../log.ts';
import type { ReadPage } from '../../../reading/index.ts';
import type { ContextImage, ContextInput, FilesContext } from '../../context.ts';
import type { FileRecord } from '../file-record.ts';
