import english from 'catalogue:en/importConversation';
import { section } from './translate.ts';

export const t = section('importConversation', english);
