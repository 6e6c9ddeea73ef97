import english from 'catalogue:en/claims';
import { section } from './translate.ts';

export const t = section('claims', english);
