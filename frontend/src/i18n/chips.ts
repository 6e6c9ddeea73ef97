import english from 'catalogue:en/chips';
import { section } from './translate.ts';

export const t = section('chips', english);
