import english from 'catalogue:en/mailedLinks';
import { section } from './translate.ts';

export const t = section('mailedLinks', english);
