import english from 'catalogue:en/library';
import { section } from './translate.ts';

export const t = section('library', english);
