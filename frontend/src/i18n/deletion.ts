import english from 'catalogue:en/deletion';
import { section } from './translate.ts';

export const t = section('deletion', english);
