import english from 'catalogue:en/sources';
import { section } from './translate.ts';

export const t = section('sources', english);
