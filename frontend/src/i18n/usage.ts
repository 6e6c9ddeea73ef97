import english from 'catalogue:en/usage';
import { section } from './translate.ts';

export const t = section('usage', english);
