import english from 'catalogue:en/markdown';
import { section } from './translate.ts';

export const t = section('markdown', english);
