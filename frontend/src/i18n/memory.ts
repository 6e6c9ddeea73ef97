import english from 'catalogue:en/memory';
import { section } from './translate.ts';

export const t = section('memory', english);
