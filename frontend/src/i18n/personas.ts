import english from 'catalogue:en/personas';
import { section } from './translate.ts';

export const t = section('personas', english);
