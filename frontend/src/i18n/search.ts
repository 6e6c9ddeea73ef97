import english from 'catalogue:en/search';
import { section } from './translate.ts';

export const t = section('search', english);
