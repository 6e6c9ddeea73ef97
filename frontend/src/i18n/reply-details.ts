import english from 'catalogue:en/replyDetails';
import { section } from './translate.ts';

export const t = section('replyDetails', english);
