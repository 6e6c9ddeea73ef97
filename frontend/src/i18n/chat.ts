import english from 'catalogue:en/chat';
import { section } from './translate.ts';

export const t = section('chat', english);
