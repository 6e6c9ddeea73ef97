import english from 'catalogue:en/conversationActions';
import { section } from './translate.ts';

export const t = section('conversationActions', english);
