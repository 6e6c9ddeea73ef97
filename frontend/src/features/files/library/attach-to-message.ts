import type { UserFile } from '@stolas/backend/contract';
import { navigate } from 'wouter/use-browser-location';
import { attachToDraft } from '../upload/draft-files.ts';

/** Attaches a file to a new message and goes there. */
export function attachToMessage(file: UserFile): void {
  attachToDraft(file);
  navigate('/?c=new');
}
